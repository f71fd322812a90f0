/* Which section looks at the answer to which of our methods. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

static const struct duty_handler handlers[] = {
    {"tools/call", NULL, duty_look_call},
    {"initialize", NULL, duty_look_initialize},
    {"ping", NULL, duty_look_ping},
    {"tools/list", "tools", duty_look_tools},
    {"resources/list", "resources", duty_look_resources},
    {"resources/templates/list", "resourceTemplates", duty_look_templates},
    {"resources/read", NULL, duty_look_read},
    {"prompts/list", "prompts", duty_look_prompts},
    {"prompts/get", NULL, duty_look_prompt},
    {"logging/setLevel", NULL, duty_look_level},
    {"completion/complete", NULL, duty_look_completion},
    {"server/discover", NULL, duty_look_discover},
    {"subscriptions/listen", NULL, duty_look_listen},
    {"tasks/get", NULL, duty_look_task},
    {"tasks/result", NULL, duty_look_task_result},
    {"tasks/cancel", NULL, duty_look_task_cancel},
    {"tasks/list", "tasks", duty_look_task_list},
};

const struct duty_handler *duty_handler_find(const char *method)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(handlers[i].method, method) == 0)
            return &handlers[i];
    return NULL;
}
