/* mutate/wire: what is sent in a frame's place. Golden plans in tests/data/wire/NAME.txt, one for each kind over lines and as a
 * body; UPDATE=1 writes what is made anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "mutate/wire/wire_internal.h"
#include "unit.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/wire/"

static const char frame_text[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"write\","
                                 "\"arguments\":{\"path\":\"a\",\"lines\":[1,{\"x\":\"y\"}],\"content\":\"hi \\\"there\\\"\"}}}";

static struct wire_request request(bool lines, bool batches)
{
    return (struct wire_request){.frame = BYTES_LITERAL(frame_text),
                                 .id = BYTES_LITERAL("7"),
                                 .lines = lines,
                                 .batches = batches,
                                 .room = UINT64_MAX};
}

static void show_bytes(struct buf *out, struct bytes b)
{
    for (size_t i = 0; i < b.len && i < 600; i++) {
        uint8_t c = b.data[i];
        if (c == '\\' || c < 0x20 || c >= 0x7f)
            buf_addf(out, "\\x%02x", c);
        else
            buf_add_byte(out, c);
    }
    if (b.len > 600)
        buf_addf(out, "… %zu bytes", b.len);
}

static void show_plan(struct buf *out, const struct wire_plan *p)
{
    static const char *const ends[] = {"", " closes", " breaks"};
    for (size_t i = 0; i < p->count; i++) {
        const struct wire_piece *piece = &p->pieces[i];
        buf_add_string(out, "  ");
        if (piece->total != piece->block.len)
            buf_addf(out, "%llu bytes of: ", (unsigned long long)piece->total);
        if (piece->at_once || piece->pause_ms)
            buf_addf(out, "(%zu at once, after %lld ms) ", piece->at_once, (long long)piece->pause_ms);
        show_bytes(out, bytes_slice(piece->block, 0, piece->total == piece->block.len ? piece->block.len : 4));
        buf_add_byte(out, '\n');
    }
    buf_addf(out, "  total %llu%s%s%s%s%s", (unsigned long long)p->total, ends[p->end], p->lawful ? " lawful" : "",
             p->own_id ? " own-id" : "", p->inert ? " inert" : "", p->duplicate ? " duplicate" : "");
    if (p->declared != p->total)
        buf_addf(out, " declared %llu", (unsigned long long)p->declared);
    if (p->any || p->nulls)
        buf_addf(out, " any %u nulls %u", p->any, p->nulls);
    for (size_t i = 0; i < p->id_count; i++) {
        buf_add_string(out, " id ");
        show_bytes(out, bytes_slice(p->ids[i], 0, 40));
    }
    buf_add_byte(out, '\n');
}

/* What a plan sends adds up, and an id that is owed an answer stands in it. */
static void check_plan(const struct wire_plan *p)
{
    uint64_t total = 0;
    for (size_t i = 0; i < p->count; i++) {
        ck_assert_uint_gt(p->pieces[i].block.len, 0);
        ck_assert_uint_ge(p->pieces[i].total, p->pieces[i].block.len);
        total += p->pieces[i].total;
    }
    ck_assert_uint_eq(total, p->total);
    ck_assert_uint_ge(p->declared, p->total);
}

START_TEST(golden)
{
    const struct wire_row *row = wire_row_at((size_t)_i);
    if (!row->plan)
        return;
    struct arena a;
    struct buf made, kept;
    char path[512];
    snprintf(path, sizeof path, "%s%s.txt", DATA, row->mutator->name);
    arena_init(&a);
    buf_init(&made, 1 << 20);
    buf_init(&kept, 1 << 20);
    for (const struct wire_variant *v = row->variants; v->kind; v++)
        for (int how = 0; how < 3; how++) {
            struct wire_mutation m = {row->mutator->name, v->kind};
            struct wire_request r = request(how != 1, how == 2);
            struct wire_plan p;
            if (how == 2 && strcmp(row->mutator->name, "batch") != 0)
                continue;
            buf_addf(&made, "%s, %s%s\n", v->kind, r.lines ? "lines" : "a body", r.batches ? ", with batches" : "");
            if (!wire_plan_make(&m, &r, &a, &p)) {
                buf_add_string(&made, "  no\n");
                continue;
            }
            check_plan(&p);
            ck_assert_uint_le(p.total, strlen(frame_text) + v->bytes + 2 * strlen(frame_text) + 2);
            show_plan(&made, &p);
            r.room = p.total - 1;
            ck_assert(!wire_plan_make(&m, &r, &a, &p)); /* never more than there is room for */
        }
    if (getenv("UPDATE"))
        ck_assert_int_eq(fs_write(path, buf_bytes(&made), NULL), 0);
    ck_assert_int_eq(fs_read(path, 1 << 20, &kept, NULL), 0);
    if (!bytes_equal(buf_bytes(&made), buf_bytes(&kept))) {
        fprintf(stderr, "%s", buf_string(&made));
        ck_abort_msg("%s: made other things", path);
    }
    buf_release(&made);
    buf_release(&kept);
    arena_release(&a);
}
END_TEST

START_TEST(rows_and_kinds)
{
    size_t plans = 0, envs = 0;
    for (size_t i = 0; wire_row_at(i); i++) {
        const struct wire_row *row = wire_row_at(i);
        size_t kinds = 0, words = 1;
        ck_assert_ptr_eq(wire_row_find(row->mutator->name), row);
        ck_assert_ptr_eq(mutator_find(row->mutator->name), row->mutator);
        for (const struct wire_variant *v = row->variants; v->kind; v++, kinds++)
            ck_assert_msg(mutation_words_have(row->mutator->kinds, v->kind) && !strchr(v->kind, ':'), "%s", v->kind);
        for (const char *at = row->mutator->kinds; *at; at++)
            words += *at == ' ';
        ck_assert_uint_eq(kinds, words);
        ck_assert_str_eq(row->mutator->group, row->plan ? "wire" : "env");
        plans += row->plan != NULL;
        envs += row->plan == NULL;
    }
    ck_assert_uint_eq(plans, 12);
    ck_assert_uint_eq(envs, 3);
    ck_assert_ptr_null(wire_row_find("frob"));
}
END_TEST

/* The exact lengths are the point of it. */
START_TEST(lengths)
{
    static const struct {
        const char *kind;
        uint64_t length;
    } rows[] = {{"64k", 65536}, {"1m", 1048576}, {"10m", 10485760}, {"10m-plus-1", 10485761}, {"30m", 31457280}};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_mutation m = {"oversize-frame", rows[i].kind};
        struct wire_request r = request(true, false);
        struct wire_plan p;
        ck_assert(wire_plan_make(&m, &r, &a, &p));
        ck_assert_uint_eq(p.total, rows[i].length + 1); /* and the newline */
    }
    arena_release(&a);
}
END_TEST

/* The padding goes into the _meta that a request has, never into a second one. */
START_TEST(notes)
{
    static const struct {
        const char *frame, *with;
    } rows[] = {{"{\"params\":{}}", "{\"params\":{\"_meta\":{\"taskgen\":\"N\"}}}"},
                {"{\"params\":{\"a\":1}}", "{\"params\":{\"_meta\":{\"taskgen\":\"N\"},\"a\":1}}"},
                {"{\"params\":{\"a\":{\"_meta\":1},\"_meta\":{\"p\":1}}}", "{\"params\":{\"a\":{\"_meta\":1},\"_meta\":{\"taskgen\":\"N\",\"p\":1}}}"},
                {"{\"params\":{\"_meta\":{}}}", "{\"params\":{\"_meta\":{\"taskgen\":\"N\"}}}"}};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes frame = bytes_of_string(rows[i].frame), before, after;
        size_t at;
        ck_assert(wire_note_place(frame, &at, &before, &after));
        const char *made = arena_printf(&a, "%.*s%.*sN%.*s%s", (int)at, rows[i].frame, BYTES_ARG(before), BYTES_ARG(after), rows[i].frame + at);
        ck_assert_str_eq(made, rows[i].with);
    }
    arena_release(&a);
}
END_TEST

/* Whatever stands in a frame, looking at it ends and stays inside. */
START_TEST(odd_frames)
{
    static const char *const frames[] = {"", "{", "{\"", "{\"id", "{\"id\":", "}", "[[[[", "{\"params\":{\"a\":\"b\\",
                                         "{\"id\":1e,\"params\":[}", "{\"method\":\"x\",\"params\":{\"a\":}}", "\"\\"};
    struct arena a;
    arena_init(&a);
    for (size_t f = 0; f < sizeof frames / sizeof *frames; f++)
        for (size_t i = 0; wire_row_at(i); i++)
            for (const struct wire_variant *v = wire_row_at(i)->variants; v->kind; v++) {
                struct wire_mutation m = {wire_row_at(i)->mutator->name, v->kind};
                struct wire_request r = {.frame = bytes_of_string(frames[f]), .id = BYTES_LITERAL("1"), .lines = true, .room = 1 << 25};
                struct wire_plan p;
                if (wire_plan_make(&m, &r, &a, &p))
                    check_plan(&p);
            }
    arena_release(&a);
}
END_TEST

START_TEST(found_in_the_record)
{
    struct task *t = task_new();
    struct arena *a = &t->arena;
    struct json *none = json_new(a, JSON_OBJECT);
    struct wire_mutation found;
    task_note_mutation(t, "id-type", "s1", "/frame", "frob: no such kind", none);
    task_note_mutation(t, "null-byte", "s2", "/args/path", "raw: a NUL", none);
    task_note_mutation(t, "slow-reader", "s2", "/env", "long: nothing is read for 1000 ms", none);
    task_note_mutation(t, "id-type", "s3", "/frame", "float: the id is a fraction", none);
    ck_assert(!wire_find(t, "s1", "wire", &found));
    ck_assert(!wire_find(t, "s2", "wire", &found));
    ck_assert(wire_find(t, "s2", "env", &found));
    ck_assert_int_eq(wire_deaf_ms(&found), 1000);
    ck_assert(wire_find(t, "s3", "wire", &found));
    ck_assert_str_eq(found.mutator, "id-type");
    ck_assert_str_eq(found.kind, "float");
    ck_assert_int_eq(wire_deaf_ms(&found), 0);
    ck_assert(!wire_find(t, "s4", "wire", &found));
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, golden, 0, 15);
    tcase_add_test(tests, rows_and_kinds);
    tcase_add_test(tests, lengths);
    tcase_add_test(tests, notes);
    tcase_add_test(tests, odd_frames);
    tcase_add_test(tests, found_in_the_record);
}

int main(void)
{
    return unit_main("wire", fill);
}
