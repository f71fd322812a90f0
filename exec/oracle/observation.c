/* Names of what stands in observation.h. */
#include "exec/oracle/observation.h"

const char *witness_name(enum witness w)
{
    static const char *const names[] = {
        [WITNESS_NONE] = "none", [WITNESS_OUTSIDE] = "outside", [WITNESS_INSIDE] = "inside", [WITNESS_BESIDE] = "beside"};
    return names[w];
}
