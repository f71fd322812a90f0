/* Subscriptions of the stateless era: acknowledged first, each notification with the subscription's id, nothing that was not asked
 * for. */
#include <string.h>

#include "exec/oracle/duty_modern.h"

/* What can be asked for; the acknowledgement is always wanted. */
static const struct {
    const char *method, *filter;
} kinds[] = {
    {"notifications/subscriptions/acknowledged", NULL},
    {"notifications/tools/list_changed", "toolsListChanged"},
    {"notifications/prompts/list_changed", "promptsListChanged"},
    {"notifications/resources/list_changed", "resourcesListChanged"},
    {"notifications/resources/updated", "resourceSubscriptions"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

void duty_listen_sent(struct duty_watch *w, int64_t id, struct bytes params)
{
    struct duty_modern *m = w->modern;
    struct json *value = NULL;
    if (m->listen_count == DUTY_LISTENS_MAX)
        return;
    struct duty_listen *l = &m->listens[m->listen_count++];
    *l = (struct duty_listen){.id = id, .wanted = 1};
    arena_clear(&w->scratch);
    if (json_read(&w->scratch, params, NULL, "params", &value, NULL, NULL) < 0) {
        l->wanted = ~0u;
        return;
    }
    for (size_t i = 1; i < KINDS; i++) {
        const struct json *one = json_get(json_get(value, "notifications"), kinds[i].filter);
        if (json_is(one, JSON_TRUE) || (json_is(one, JSON_ARRAY) && one->first))
            l->wanted |= 1u << i;
    }
}

static struct duty_listen *find(struct duty_watch *w, const struct json *id)
{
    int64_t number;
    for (size_t i = 0; json_as_integer(id, &number) && i < w->modern->listen_count; i++)
        if (w->modern->listens[i].id == number)
            return &w->modern->listens[i];
    return NULL;
}

bool duty_listen_is(const struct duty_watch *w, const struct json *id)
{
    return w->modern->listen_count == DUTY_LISTENS_MAX || find((struct duty_watch *)w, id);
}

void duty_listen_told(struct duty_watch *w, const char *method, const struct json *message, struct bytes line)
{
    size_t kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].method, method) != 0)
        kind++;
    if (kind == KINDS || w->modern->listen_count == DUTY_LISTENS_MAX)
        return;
    const struct json *id = json_get(json_get(json_get(message, "params"), "_meta"), "io.modelcontextprotocol/subscriptionId");
    struct duty_listen *l = find(w, id);
    if (!w->modern->listen_count) {
        duty_say(w, 62, "tells of changes without a subscription", line);
    } else if (!id) {
        duty_say(w, 62, "tells of changes without a subscriptionId", line);
    } else if (!l) {
        duty_say(w, 62, "tells of changes by a subscriptionId that there is not", line);
    } else if (!(l->wanted & 1u << kind)) {
        duty_say(w, 62, "tells of changes that were not subscribed to", line);
    } else if (kind && !l->acknowledged) {
        duty_say(w, 62, "tells of changes before the subscription is acknowledged", line);
    }
    if (l)
        l->acknowledged = true;
}

void duty_look_listen(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *id = json_get(json_get(reply->result, "_meta"), "io.modelcontextprotocol/subscriptionId");
    int64_t number;
    if (w->modern && reply->result && (!json_as_integer(id, &number) || number != r->id))
        duty_say(w, 62, "ends a subscription without its subscriptionId", reply->line);
}
