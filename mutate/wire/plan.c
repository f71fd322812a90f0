/* Putting plans together, and the table of rows. */
#include <string.h>

#include "base/error.h"
#include "mutate/wire/wire_internal.h"

static const struct wire_row *const rows[] = {
    &wire_bad_utf8,      &wire_embedded_newline, &wire_split_frame,   &wire_oversize_frame,
    &wire_duplicate_key, &wire_id_type,          &wire_missing_field, &wire_batch,
    &wire_bom,           &wire_unknown_version,  &wire_early_close,   &wire_no_newline_flood,
    &wire_slow_reader,   &wire_kill_server,      &wire_stop_server,
};

const struct wire_row *wire_row_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? rows[index] : NULL;
}

const struct wire_row *wire_row_find(const char *mutator)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i]->mutator->name, mutator) == 0)
            return rows[i];
    return NULL;
}

static struct wire_piece *add_piece(struct wire_plan *p, struct bytes block, uint64_t total)
{
    if (p->count == WIRE_PIECES_MAX)
        BUG("a plan of a frame with too many pieces");
    p->total += total;
    p->declared = p->total;
    p->pieces[p->count] = (struct wire_piece){.block = block, .total = total};
    return &p->pieces[p->count++];
}

void wire_put(struct wire_plan *p, struct bytes bytes)
{
    if (bytes.len)
        add_piece(p, bytes, bytes.len);
}

void wire_put_slowly(struct wire_plan *p, struct bytes bytes, size_t at_once, int64_t pause_ms)
{
    if (!bytes.len)
        return;
    struct wire_piece *piece = add_piece(p, bytes, bytes.len);
    piece->at_once = at_once;
    piece->pause_ms = pause_ms;
}

void wire_repeat(struct wire_plan *p, struct arena *a, uint8_t byte, uint64_t total)
{
    size_t length = total < WIRE_BLOCK ? (size_t)total : WIRE_BLOCK;
    if (!length)
        return;
    uint8_t *block = arena_alloc(a, length);
    memset(block, byte, length);
    add_piece(p, bytes_of(block, length), total);
}

void wire_newline(struct wire_plan *p, const struct wire_request *r)
{
    if (r->lines)
        wire_put(p, BYTES_LITERAL("\n"));
}

void wire_owe(struct wire_plan *p, struct bytes id)
{
    if (p->id_count == WIRE_IDS_MAX)
        BUG("a plan of a frame with too many ids");
    p->ids[p->id_count++] = id;
}

static const struct wire_variant *variant_of(const struct wire_row *row, struct bytes kind)
{
    for (const struct wire_variant *v = row->variants; v->kind; v++)
        if (bytes_equal_string(kind, v->kind))
            return v;
    return NULL;
}

bool wire_find(const struct task *t, const char *step, const char *group, struct wire_mutation *out)
{
    for (const struct json *m = t->mutations ? t->mutations->first : NULL; m; m = m->next) {
        if (!bytes_equal_string(json_as_text(json_get(m, "step")), step))
            continue;
        struct bytes detail = json_as_text(json_get(m, "detail")),
                     name = json_as_text(json_get(m, "mutator"));
        ptrdiff_t colon = bytes_find(detail, BYTES_LITERAL(":"), 0);
        if (colon < 0)
            continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (!bytes_equal_string(name, rows[i]->mutator->name) ||
                strcmp(rows[i]->mutator->group, group) != 0)
                continue;
            const struct wire_variant *v = variant_of(rows[i], bytes_slice(detail, 0, (size_t)colon));
            *out = (struct wire_mutation){rows[i]->mutator->name, v ? v->kind : NULL};
            return v != NULL;
        }
    }
    return false;
}

bool wire_plan_make(const struct wire_mutation *mutation, const struct wire_request *request, struct arena *a,
                    struct wire_plan *plan)
{
    const struct wire_row *row = wire_row_find(mutation->mutator);
    *plan = (struct wire_plan){.lawful = false};
    return row && row->plan && row->plan(mutation->kind, request, a, plan) && plan->total <= request->room;
}
