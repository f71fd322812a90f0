/* Harbor task directories, schema 1.4, with a separate verifier: /app is carried over to a container of its own, which is built from tests/.
 * The digests in dataset.toml are those that Harbor's own packager computes. */
#include "corpus/export/export_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/hash.h"

#define IMAGE "FROM debian:bookworm-20240904-slim\n"
#define PACKAGES(names) "RUN apt-get update && apt-get install -y --no-install-recommends " names " && rm -rf /var/lib/apt/lists/*\n"

/* One task directory while it is written: the lines its digest is made of. */
struct directory {
    struct export_out *out;
    const struct export_record *r;
    struct arena *a;
    char **lines; /* "path NUL hex newline" without the NUL's place known: path first, then hex */
    size_t count, capacity;
};

static int put(struct directory *d, const char *name, struct bytes data, struct error **err)
{
    char hex[65];
    sha256_hex(data, hex);
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? d->capacity * 2 : 16;
        d->lines = xrealloc(d->lines, d->capacity * sizeof *d->lines);
    }
    d->lines[d->count++] = arena_printf(d->a, "%s%c%s", name, 0, hex); /* the NUL ends the path, for sorting */
    return export_put(d->out, arena_printf(d->a, "%s/%s", d->r->name, name), data, err);
}

static int put_buf(struct directory *d, const char *name, struct buf *text, struct error **err)
{
    int status = text->overflow ? error_set(err, ERR_LIMIT, "%s: too long", name) : put(d, name, buf_bytes(text), err);
    buf_release(text);
    return status;
}

static void add_quoted(struct buf *out, const char *key, const char *value)
{
    buf_addf(out, "%s = ", key);
    json_write_string(out, bytes_of_string(value)); /* of plain characters: a TOML string too */
    buf_add_byte(out, '\n');
}

static int put_task_toml(struct directory *d, struct error **err)
{
    const struct task *t = d->r->task;
    struct buf b;
    buf_init(&b, 1 << 22);
    buf_add_string(&b, "# " EXPORT_CANARY "\nschema_version = \"1.4\"\nartifacts = [\"/app\"]\n\n[task]\n");
    buf_addf(&b, "name = \"taskgen/%s\"\n", d->r->name);
    buf_addf(&b, "keywords = [\"%s\", \"%s\"]\n\n[metadata]\n", t->domain, t->workflow);
    add_quoted(&b, "generator", "taskgen");
    add_quoted(&b, "id", t->id);
    add_quoted(&b, "domain", t->domain);
    add_quoted(&b, "workflow", t->workflow);
    buf_addf(&b, "seed = \"%llu\"\nindex = \"%llu\"\n", (unsigned long long)t->seed, (unsigned long long)t->index);
    add_quoted(&b, "grammar", t->grammar_hash);
    add_quoted(&b, "derivation", t->derivation);
    buf_add_string(&b, "primitives = [");
    for (size_t i = 0; i < d->r->primitive_count; i++)
        buf_addf(&b, "%s\"%s\"", i ? ", " : "", d->r->primitives[i]);
    buf_addf(&b, "]\nsteps = %zu\nhostile = %zu\nchecks = %zu\n\n", t->step_count, d->r->hostile, d->r->check_count);
    buf_add_string(&b, "[agent]\ntimeout_sec = 900.0\n\n"
                       "[verifier]\nenvironment_mode = \"separate\"\ntimeout_sec = 120.0\n\n"
                       "[verifier.environment]\nnetwork_mode = \"no-network\"\n\n"
                       "[environment]\nnetwork_mode = \"no-network\"\nbuild_timeout_sec = 600.0\ncpus = 1\nmemory_mb = 1024\nstorage_mb = 4096\n"
                       "workdir = \"/app\"\n");
    return put_buf(d, "task.toml", &b, err);
}

static int put_instruction(struct directory *d, struct error **err)
{
    struct buf b;
    buf_init(&b, 1 << 22);
    buf_add_string(&b, "<!-- " EXPORT_CANARY " -->\n\n");
    buf_add(&b, buf_bytes(&d->r->instruction));
    return put_buf(d, "instruction.md", &b, err);
}

static int put_environment(struct directory *d, struct error **err)
{
    const struct export_record *r = d->r;
    struct buf b;
    for (size_t i = 0; i < r->input_count; i++)
        TRY(put(d, arena_printf(d->a, "environment/inputs/%zu", i + 1), r->inputs[i].data, err));
    for (size_t i = 0; i < r->start_count; i++)
        TRY(put(d, arena_printf(d->a, "environment/files/%.*s", BYTES_ARG(r->start[i].path)), r->start[i].data, err));
    buf_init(&b, 1 << 16);
    buf_add_string(&b, "# " EXPORT_CANARY "\n" IMAGE PACKAGES("python3=3.11.2-1+b1") "WORKDIR /app\n");
    if (r->input_count)
        buf_add_string(&b, "COPY inputs/ /inputs/\n");
    if (r->start_count)
        buf_add_string(&b, "COPY files/ /app/\n");
    return put_buf(d, "environment/Dockerfile", &b, err);
}

static int put_solution(struct directory *d, struct error **err)
{
    struct buf b;
    buf_init(&b, 1 << 25);
    buf_add_string(&b, "#!/bin/sh\n# " EXPORT_CANARY "\n");
    buf_add(&b, buf_bytes(&d->r->solution));
    return put_buf(d, "solution/solve.sh", &b, err);
}

static void add_word(struct buf *out, struct bytes word)
{
    buf_add_byte(out, ' ');
    shell_quote(out, word);
}

/* The line of one check; a text that a check wants to see goes to a file of its own. */
static int add_check(struct directory *d, struct buf *b, const struct export_check *c, size_t number, struct error **err)
{
    static const char *const words[] = {"same", "printed", "look holds", "look member", "size", "look lines", "there", "gone"};
    buf_add_string(b, words[c->kind]);
    add_word(b, c->path);
    if (c->kind == EXPORT_SAME || c->kind == EXPORT_PRINTED)
        buf_addf(b, " %s", c->sha256);
    if (c->kind == EXPORT_PRINTED)
        buf_addf(b, " %s", c->sha256_ended);
    if (c->kind == EXPORT_SIZE || c->kind == EXPORT_LINES)
        buf_addf(b, " %lld", (long long)c->number);
    if (c->kind == EXPORT_HOLDS || c->kind == EXPORT_MEMBER) {
        buf_addf(b, " /tests/expected/%zu", number);
        if (c->kind == EXPORT_MEMBER)
            add_word(b, c->pointer);
        TRY(put(d, arena_printf(d->a, "tests/expected/%zu", number), c->wanted, err));
    }
    buf_add_byte(b, '\n');
    return 0;
}

static int put_tests(struct directory *d, struct error **err)
{
    struct buf b;
    int status = 0;
    buf_init(&b, 1 << 22);
    buf_add_string(&b, export_judge);
    for (size_t i = 0; i < d->r->check_count && !status; i++)
        status = add_check(d, &b, &d->r->checks[i], i + 1, err);
    buf_add_string(&b, "\nexit $bad\n");
    if (status) {
        buf_release(&b);
        return status;
    }
    TRY(put_buf(d, "tests/judge.sh", &b, err));
    TRY(put(d, "tests/test.sh", bytes_of_string(export_test), err));
    TRY(put(d, "tests/look.py", bytes_of_string(export_look), err));
    return put(d, "tests/Dockerfile",
               BYTES_LITERAL("# " EXPORT_CANARY "\n" IMAGE PACKAGES("python3-minimal=3.11.2-1+b1") "WORKDIR /app\nCOPY . /tests/\n"), err);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_index(struct directory *d)
{
    struct buf text;
    char hex[65];
    buf_init(&text, SIZE_MAX / 4);
    qsort(d->lines, d->count, sizeof *d->lines, by_path);
    for (size_t i = 0; i < d->count; i++) {
        size_t path = strlen(d->lines[i]);
        buf_add(&text, bytes_of(d->lines[i], path + 1));
        buf_addf(&text, "%s\n", d->lines[i] + path + 1);
    }
    sha256_hex(buf_bytes(&text), hex);
    buf_release(&text);
    buf_addf(&d->out->index, "\n[[tasks]]\nname = \"taskgen/%s\"\ndigest = \"sha256:%s\"\n", d->r->name, hex);
}

static int add(struct export_out *out, const struct export_record *r, struct error **err)
{
    static int (*const parts[])(struct directory *, struct error **) = {put_task_toml, put_instruction, put_environment, put_solution,
                                                                       put_tests};
    struct arena a;
    arena_init(&a);
    struct directory d = {.out = out, .r = r, .a = &a};
    int status = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
        status = parts[i](&d, err);
    if (!status)
        add_index(&d);
    free(d.lines);
    arena_release(&a);
    return status;
}

static int end(struct export_out *out, struct error **err)
{
    struct buf b;
    buf_init(&b, (size_t)1 << 30);
    buf_add_string(&b, "# " EXPORT_CANARY "\nschema_version = \"1.0\"\n\n[dataset]\nname = \"taskgen/tasks\"\n");
    buf_add(&b, buf_bytes(&out->index));
    int status = b.overflow ? error_set(err, ERR_LIMIT, "dataset.toml: too long") : export_put(out, "dataset.toml", buf_bytes(&b), err);
    buf_release(&b);
    return status;
}

const struct export_format export_harbor = {
    .name = "harbor",
    .doc = "Harbor task directories (schema 1.4) with a separate verifier, and dataset.toml",
    .add = add,
    .end = end,
};
