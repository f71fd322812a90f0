/* JSON Schemas of any shape: values of every kind are drawn, replayed and judged, and tasks made of a tool that has the
 * schema. The input is the schema. */
#include <stdlib.h>
#include <string.h>

#include "gen/schema.h"
#include "gen/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct json *draw(const struct schema_book *book, enum schema_kind kind, uint64_t seed,
                         const struct derivation *replay, struct derivation *log, struct arena *a)
{
    struct rng rng;
    struct chooser c;
    struct schema_value out;
    const struct json *schema = schema_book_document(book);
    rng_seed(&rng, seed, kind);
    chooser_init(&c, &rng, replay, log);
    schema_draw(book, schema, kind, &c, a, &out);
    if (!out.value || (out.kind == SCHEMA_INVALID) != (out.violation != NULL))
        abort();
    if (out.judged && schema_check(book, schema, schema, out.value) == (out.violation ? SCHEMA_ACCEPTS : SCHEMA_REJECTS))
        abort();
    return out.value;
}

static void draw_all(const struct schema_book *book)
{
    struct arena a;
    struct derivation log, again;
    arena_init(&a);
    derivation_init(&log);
    derivation_init(&again);
    for (int kind = 0; kind < SCHEMA_KINDS; kind++) {
        derivation_clear(&log);
        derivation_clear(&again);
        const struct json *first = draw(book, (enum schema_kind)kind, 1, NULL, &log, &a);
        if (!json_equal(first, draw(book, (enum schema_kind)kind, 2, &log, &again, &a)))
            abort(); /* a log means one value */
    }
    derivation_release(&log);
    derivation_release(&again);
    arena_release(&a);
}

static void make_tasks(struct bytes schema)
{
    static struct ops *ops;
    static struct settings settings;
    if (!ops) {
        settings_defaults(&settings);
        if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
            abort();
    }
    struct toolset *tools = NULL;
    struct buf list;
    buf_init(&list, schema.len + 100);
    buf_add_string(&list, "[{\"name\":\"a\",\"inputSchema\":");
    buf_add(&list, schema);
    buf_add_string(&list, "}]");
    if (toolset_new(buf_bytes(&list), &tools, NULL) == 0) {
        struct task *task = NULL, *read = NULL;
        struct buf text;
        buf_init(&text, 1 << 26);
        if (toolset_task(tools, ops, &settings, 1, 1, &task, NULL) < 0)
            abort();
        task_write(task, &text);
        if (task_read(ops, buf_bytes(&text), "own", &read, NULL) < 0 || strcmp(read->id, task->id) != 0)
            abort();
        task_free(task);
        task_free(read);
        buf_release(&text);
    }
    toolset_free(tools);
    buf_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schema_book *book = NULL;
    if (schema_book_new(bytes_of(data, size), &book, NULL) == 0) {
        draw_all(book);
        schema_book_free(book);
        make_tasks(bytes_of(data, size));
    }
    return 0;
}
