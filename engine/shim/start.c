/* Sets what the OpenMP runtime reads when it starts, before it does.
 *
 * llama.cpp's threads meet at a barrier several hundred times a token, and libgomp lets them
 * spin there for milliseconds before they sleep. With anything else on the cores (the other
 * model, a browser) every barrier then costs a time slice: 1.0 instead of 46 tokens a second
 * were measured on two busy cores. A short spin costs little when nothing else runs. What the
 * user set stays.
 */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>

__attribute__((constructor(102))) static void polyrag_set_spinning(void) {
    if (getenv("GOMP_SPINCOUNT") == NULL && getenv("OMP_WAIT_POLICY") == NULL) {
        setenv("GOMP_SPINCOUNT", "300", 1);
    }
}
