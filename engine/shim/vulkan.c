/* Opens the Vulkan loader at run time, so that one executable starts with or without it.
 *
 * ggml's Vulkan back end gets nearly everything through vkGetInstanceProcAddr and links to
 * these four functions only. Without a loader the functions needed to begin report
 * VK_ERROR_INITIALIZATION_FAILED, which the back end takes as "no Vulkan here".
 *
 * Handles are passed on as pointers; no Vulkan header is needed. The signatures are those of
 * the Vulkan specification, chapters 4 and 20.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VK_ERROR_INITIALIZATION_FAILED (-3)

typedef void (*polyrag_function)(void);

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static void *loader = NULL;

static void open_loader(void) {
    loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loader == NULL) {
        loader = dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);
    }
}

static polyrag_function find(const char *name) {
    pthread_once(&opened, open_loader);
    if (loader == NULL) {
        return NULL;
    }
    /* POSIX lets a pointer from dlsym be a function's; C has no direct cast for it. */
    polyrag_function function = NULL;
    void *symbol = dlsym(loader, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static int32_t absent_version(uint32_t *version) {
    (void)version;
    return VK_ERROR_INITIALIZATION_FAILED;
}

static int32_t absent_extensions(const char *layer, uint32_t *count, void *properties) {
    (void)layer;
    (void)properties;
    if (count != NULL) {
        *count = 0;
    }
    return VK_ERROR_INITIALIZATION_FAILED;
}

static int32_t absent_layers(uint32_t *count, void *properties) {
    return absent_extensions(NULL, count, properties);
}

static int32_t absent_instance(const void *info, const void *allocator, void **instance) {
    (void)info;
    (void)allocator;
    if (instance != NULL) {
        *instance = NULL;
    }
    return VK_ERROR_INITIALIZATION_FAILED;
}

static polyrag_function absent(const char *name) {
    if (strcmp(name, "vkEnumerateInstanceVersion") == 0) {
        return (polyrag_function)absent_version;
    }
    if (strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0) {
        return (polyrag_function)absent_extensions;
    }
    if (strcmp(name, "vkEnumerateInstanceLayerProperties") == 0) {
        return (polyrag_function)absent_layers;
    }
    if (strcmp(name, "vkCreateInstance") == 0) {
        return (polyrag_function)absent_instance;
    }
    return NULL;
}

polyrag_function vkGetInstanceProcAddr(void *instance, const char *name) {
    polyrag_function (*function)(void *, const char *) =
        (polyrag_function(*)(void *, const char *))find("vkGetInstanceProcAddr");
    return function != NULL ? function(instance, name) : absent(name);
}

polyrag_function vkGetDeviceProcAddr(void *device, const char *name) {
    polyrag_function (*function)(void *, const char *) =
        (polyrag_function(*)(void *, const char *))find("vkGetDeviceProcAddr");
    return function != NULL ? function(device, name) : NULL;
}

void vkGetPhysicalDeviceFeatures2(void *physical_device, void *features) {
    void (*function)(void *, void *) = (void (*)(void *, void *))find("vkGetPhysicalDeviceFeatures2");
    if (function != NULL) {
        function(physical_device, features);
    }
}

void vkCmdCopyBuffer(void *commands, void *source, void *target, uint32_t count, const void *regions) {
    void (*function)(void *, void *, void *, uint32_t, const void *) =
        (void (*)(void *, void *, void *, uint32_t, const void *))find("vkCmdCopyBuffer");
    if (function != NULL) {
        function(commands, source, target, count, regions);
    }
}
