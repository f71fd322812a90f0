/* What came over the wire outside any call; see wire.h. The verdict speaks of the session, so that a banner
 * after each call is one finding and not one an op. */
#include "exec/oracle/wire.h"

#include <string.h>

enum { SHOWN = 3, QUOTE_MAX = 160 };

/* What looks like a message to the transport, but is not even JSON and no object that was cut, is a stray
 * line: a log's
 * "[warn] …", say. */
static bool is_kind(const struct wire_record *r, const char *kind)
{
    if (strcmp(r->kind, "bad-message") != 0 || bytes_starts(r->text, BYTES_LITERAL("{")))
        return strcmp(r->kind, kind) == 0;
    struct arena a;
    struct json *value;
    arena_init(&a);
    bool json = json_read(&a, r->text, NULL, "line", &value, NULL, NULL) == 0;
    arena_release(&a);
    return strcmp(json ? "bad-message" : "stray-line", kind) == 0;
}

void wire_report(const struct execution *e, struct verdicts *out, const char *slug, const char *kind,
                 const char *detail, const char *title)
{
    struct buf text;
    size_t count = 0;
    buf_init(&text, 4096);
    for (size_t i = 0; i < e->wire_count; i++) {
        if (!is_kind(&e->wire[i], kind))
            continue;
        if (count++ < SHOWN) {
            buf_add_string(&text, count > 1 ? ", " : "");
            judge_quote(&text, e->wire[i].text, QUOTE_MAX);
        }
    }
    if (count)
        judge_say(out, e, slug, e->count, EFFECT_NONE, detail, title,
                  arena_printf(out->arena, "%zu of this kind (%s): %s -> interface", count, kind,
                               buf_string(&text)));
    buf_release(&text);
}
