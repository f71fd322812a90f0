/* What was said to a browser that we started, for scripts that say it again (exec/target/wire_log.h): messages with a newline behind each.
 *
 * Sessions, targets and objects have other names each time, so where one stands in a message, NAME stands for it: the how-manieth of its type it
 * was that was attached ("session page 2", "target page 2"), or the command whose reply told it ("object reply 14"). What counts as having come are replies and the few
 * events that come once for what happens, in the same number each time. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/cdp/cdp.h"

#define NAME "@TASKGEN-NAME@" /* before "session page 2"; known to the scripts */
#define HOME "@TASKGEN-HOME@"

struct attached {
    char *session, *target, *type; /* type: "page" */
};

struct cdp_log {
    struct attached *attached; /* in the order of their coming */
    size_t count, capacity;
    char object[CDP_ID_MAX];   /* the last one told */
    int64_t told;              /* by the reply to this command */
};

struct cdp_log *cdp_log_new(void)
{
    return xcalloc(1, sizeof(struct cdp_log));
}

void cdp_log_free(struct cdp_log *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->attached[i].session);
        free(l->attached[i].target);
        free(l->attached[i].type);
    }
    free(l->attached);
    free(l);
}

static size_t place_among_its_type(const struct cdp_log *l, size_t index)
{
    size_t place = 0;
    for (size_t i = 0; i < index; i++)
        place += strcmp(l->attached[i].type, l->attached[index].type) == 0;
    return place;
}

/* What stands for the name of a session or, if not, of a target; NULL: it is none that is known. */
static const char *standing_for(struct cdp *c, struct bytes name, bool session)
{
    const struct cdp_log *l = c->log;
    for (size_t i = l->count; i-- > 0;)
        if (bytes_equal_string(name, session ? l->attached[i].session : l->attached[i].target))
            return arena_printf(&c->scratch, NAME "%s %s %zu", session ? "session" : "target", l->attached[i].type, place_among_its_type(l, i));
    return NULL;
}

static void put(struct cdp *c, struct json *object, const char *key, const char *text)
{
    struct json *was = json_get(object, key);
    if (was && text) {
        json_remove(object, was);
        json_set(&c->scratch, object, key, json_text(&c->scratch, text));
    }
}

static void rename_in(struct cdp *c, struct json *object)
{
    const struct cdp_log *l = c->log;
    put(c, object, "sessionId", standing_for(c, json_as_text(json_get(object, "sessionId")), true));
    put(c, object, "targetId", standing_for(c, json_as_text(json_get(object, "targetId")), false));
    if (l->told && bytes_equal_string(json_as_text(json_get(object, "objectId")), l->object))
        put(c, object, "objectId", arena_printf(&c->scratch, NAME "object reply %lld", (long long)l->told));
}

void cdp_log_sent(struct cdp *c, int64_t id, const char *session, const char *method, const struct json *params)
{
    struct wire_log *wire = &c->session->wire;
    struct buf text, plain;
    if (wire->too_long)
        return;
    struct json *message = cdp_object(c), *named = params ? json_copy(&c->scratch, params) : cdp_object(c);
    rename_in(c, named);
    json_set(&c->scratch, message, "id", json_integer(&c->scratch, id));
    json_set(&c->scratch, message, "method", json_text(&c->scratch, method));
    if (*session)
        json_set(&c->scratch, message, "sessionId", json_text(&c->scratch, session));
    json_set(&c->scratch, message, "params", named);
    rename_in(c, message);
    buf_init(&text, SIZE_MAX);
    buf_init(&plain, SIZE_MAX);
    json_write(&text, message, JSON_COMPACT);
    buf_add_byte(&text, '\n');
    wire_log_placed(&plain, buf_bytes(&text), c->session->home, HOME); /* the root is the wire log's own matter */
    wire_log_sent(wire, buf_bytes(&plain));
    buf_release(&text);
    buf_release(&plain);
}

/* The same list as in the script. */
static bool counts(struct bytes method)
{
    static const char *const events[] = {"Target.attachedToTarget", "Page.loadEventFired", "Page.javascriptDialogOpening"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (bytes_equal_string(method, events[i]))
            return true;
    return false;
}

static void add_attached(struct cdp_log *l, struct arena *a, const struct json *params)
{
    const struct json *info = json_get(params, "targetInfo");
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 16;
        l->attached = xrealloc(l->attached, l->capacity * sizeof *l->attached);
    }
    l->attached[l->count++] = (struct attached){
        .session = xstrdup(arena_string(a, json_as_text(json_get(params, "sessionId")))),
        .target = xstrdup(arena_string(a, json_as_text(json_get(info, "targetId")))),
        .type = xstrdup(arena_string(a, json_as_text(json_get(info, "type")))),
    };
}

void cdp_log_came(struct cdp *c, const struct json *message)
{
    int64_t id;
    struct bytes method = json_as_text(json_get(message, "method"));
    if (c->session->wire.too_long)
        return;
    if (json_as_integer(json_get(message, "id"), &id)) {
        struct bytes object = json_as_text(json_pointer(message, BYTES_LITERAL("/result/result/objectId")));
        if (object.len && object.len < sizeof c->log->object) {
            memcpy(c->log->object, object.data, object.len);
            c->log->object[object.len] = '\0';
            c->log->told = id;
        }
    } else if (!counts(method)) {
        return;
    } else if (bytes_equal_string(method, "Target.attachedToTarget")) {
        add_attached(c->log, &c->scratch, json_get(message, "params"));
    }
    wire_log_came(&c->session->wire);
}
