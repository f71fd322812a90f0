/* The plug-in driver's state, shared by driver_plugin.c (its life) and plugin_calls.c. */
#ifndef EXEC_TARGET_DRIVER_PLUGIN_INTERNAL_H
#define EXEC_TARGET_DRIVER_PLUGIN_INTERNAL_H

#include "exec/target/peer.h"
#include "exec/target/session_internal.h"

struct plugin {
    struct peer peer;
    struct arena arena;       /* what it answered when it was opened */
    char *command;            /* for messages */
    const struct json *needs; /* array of texts */
    unsigned run_channel;     /* enum run_channel */
};

/* The driver's function; see driver.h. */
void plugin_calls(struct session *s, struct call *const *calls, size_t count);

#endif
