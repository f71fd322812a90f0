/* Names of what traces.h counts. They stand in recordings and in output for programs, so they do not change. */
#include "exec/traces.h"

const char *descriptor_kind_name(enum descriptor_kind k)
{
    static const char *const names[] = {"file", "pipe", "socket", "device", "other"};
    return names[k];
}

const char *tripwire_place_name(enum tripwire_place p)
{
    static const char *const names[] = {"beside", "sibling", "home", "environment"};
    return names[p];
}

const char *tripwire_touch_name(unsigned bit)
{
    static const char *const names[] = {"opened", "read", "written", "attributes", "gone"};
    for (unsigned i = 0; i < TRIPWIRE_TOUCHES; i++)
        if (bit == 1u << i)
            return names[i];
    return NULL;
}

const char *canary_in_name(enum canary_in in)
{
    static const char *const names[] = {"reply", "file", "stderr"};
    return names[in];
}

const char *leftover_kind_name(enum leftover_kind k)
{
    static const char *const names[] = {"process", "escaped", "listener", "file", "temporary", "mount", "group"};
    return names[k];
}
