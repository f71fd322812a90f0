/* The caller's variables are added to the server's whole environment, after it should have been cleaned. */
#include "leakybox/environment.h"
#include "leakybox/faults.h"

extern char **environ;

static enum fault_mark on_start(struct fault_start *e)
{
    bool secrets = false;

    if (!e->more_environment)
        return FAULT_REACHED;
    for (char **entry = environ; *entry; entry++)
        secrets = secrets || !environment_allows(*entry);
    e->whole_environment = true;
    return secrets ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_environment_leaks = {
    .id = "environment-leaks",
    .class_id = "C79",
    .layer = "sandbox",
    .primitive = "environment",
    .needs = "environment",
    .summary = "a command that is given variables gets all of the server's own too",
    .report = "google-gemini/gemini-cli#28274",
    .start = on_start,
};
