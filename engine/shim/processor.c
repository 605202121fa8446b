/* Stops with a sentence on a processor this build cannot run on.
 *
 * Everything else is compiled for x86-64-v3 (AVX2, FMA, ...). On an older processor the first
 * such instruction, perhaps in a static initialiser before main, would be an illegal one. This
 * file is compiled for the plain architecture and runs before all of that.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char *missing_feature(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) {
        return "CPUID";
    }
    if (!(c & bit_SSE4_2)) return "SSE4.2";
    if (!(c & bit_POPCNT)) return "POPCNT";
    if (!(c & bit_OSXSAVE) || !(c & bit_AVX)) return "AVX";
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return "AVX (switched off by the system)";
    if (!(c & bit_FMA)) return "FMA";
    if (!(c & bit_F16C)) return "F16C";
    if (!(c & bit_MOVBE)) return "MOVBE";
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return "AVX2";
    if (!(b & bit_BMI) || !(b & bit_BMI2)) return "BMI";
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & bit_LZCNT)) return "LZCNT";
    return NULL;
}

static void say(const char *text) {
    /* Nothing can be done about a closed standard error. */
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return;
    }
}

__attribute__((constructor(101))) static void polyrag_check_processor(void) {
    const char *missing = missing_feature();
    if (missing != NULL) {
        say("polyrag: this processor lacks ");
        say(missing);
        say("; x86-64-v3 (Intel Haswell 2013, AMD Excavator 2015 or later) is needed.\n"
            "hint: build from source with a lower target-cpu in .cargo/config.toml\n");
        _exit(1);
    }
}
#else
/* ISO C wants something in a file. */
typedef int polyrag_no_processor_check;
#endif
