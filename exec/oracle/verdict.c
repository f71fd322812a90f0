/* Verdicts: collecting them without doubles, and their signatures. */
#include "exec/oracle/check.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "exec/oracle/duty.h"

static bool same_signature(const struct verdict *a, const struct verdict *b)
{
    return a->layer == b->layer && strcmp(a->primitive, b->primitive) == 0 &&
           strcmp(a->check, b->check) == 0 && strcmp(a->op, b->op) == 0 && strcmp(a->detail, b->detail) == 0;
}

static const char *keep(struct arena *a, const char *text)
{
    return arena_string(a, bytes_of_string(text));
}

void verdict_add(struct verdicts *v, const struct verdict *verdict)
{
    for (size_t i = 0; i < v->count; i++)
        if (same_signature(&v->items[i], verdict))
            return;
    if (v->count == sizeof v->items / sizeof *v->items) {
        v->dropped++;
        return;
    }
    struct verdict *kept = &v->items[v->count++];
    *kept = *verdict;
    kept->check = keep(v->arena, verdict->check);
    kept->primitive = keep(v->arena, verdict->primitive);
    kept->op = keep(v->arena, verdict->op);
    kept->detail = keep(v->arena, verdict->detail);
    kept->title = keep(v->arena, verdict->title);
    kept->evidence = keep(v->arena, verdict->evidence);
}

bool detail_is_note(const char *detail)
{
    static const char *const notes[] = {DUTY_SHOULD, POLICY_NOTE};
    for (size_t i = 0; detail && i < sizeof notes / sizeof *notes; i++)
        if (strncmp(detail, notes[i], strlen(notes[i])) == 0)
            return true;
    return false;
}

static const char *normal_detail(struct arena *a, const struct normaliser *rules, const char *raw)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    normalise(rules, NORMALISE_DETAIL, bytes_of_string(raw), &text);
    const char *detail = strcmp(buf_string(&text), raw) ? arena_string(a, buf_bytes(&text)) : raw;
    buf_release(&text);
    return detail;
}

void verdicts_normalise(struct verdicts *v, const struct normaliser *rules)
{
    struct verdict *items = v->items;
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++) {
        struct verdict *item = &items[i];
        item->raw = item->detail;
        item->detail = rules ? normal_detail(v->arena, rules, item->raw) : item->raw;
        size_t same = 0;
        while (same < kept && !same_signature(&items[same], item))
            same++;
        if (same == kept)
            items[kept++] = *item;
    }
    v->count = kept;
}

void verdict_signature(const struct verdict *v, struct buf *text, char key[17])
{
    buf_clear(text);
    buf_addf(text, "%s/%s/%s/%s: %s", layer_name(v->layer), v->primitive, v->check, v->op, v->detail);
    snprintf(key, 17, "%016llx", (unsigned long long)hash64(buf_bytes(text)));
}
