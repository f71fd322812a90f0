/* Names of outcome classes. */
#include "exec/outcome.h"

#include <string.h>

static const char *const names[] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_SKIPPED] = "skipped",
    [OUTCOME_TOOL_ERROR] = "tool-error",
    [OUTCOME_PROTOCOL_ERROR] = "protocol-error",
    [OUTCOME_TRANSPORT_ERROR] = "transport-error",
    [OUTCOME_TIMEOUT] = "timeout",
    [OUTCOME_TARGET_DIED] = "target-died",
    [OUTCOME_HARNESS] = "harness",
};
enum { NAMES = sizeof names / sizeof *names };

const char *outcome_class_name(enum outcome_class c)
{
    if ((size_t)c >= NAMES)
        BUG("an outcome class that is none");
    return names[c];
}

int outcome_class_find(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
