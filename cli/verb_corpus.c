/* corpus: the members of a database, or seeds of any kind, as tasks: JSON Lines, or a directory with a file each. */
#include "cli/seeds_options.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"seeds", 'i', "PATH", "the tasks that this file or directory is read as, instead of a database's; repeats"},
    {"out", 'o', "DIR", "a file for each task in this directory, made when absent, instead of JSON Lines"},
    {0},
};

struct output {
    const struct verb *v;
    const char *directory; /* NULL: standard output */
    FILE *provenance;
    size_t count;
    int status;            /* exit status of a failure; 0 */
};

/* ---- where the tasks go ---- */

static int begin_output(struct output *out)
{
    struct error *err = NULL;
    char path[4096];
    if (!out->directory)
        return 0;
    if (fs_make_dirs(out->directory, &err) < 0)
        return cli_fail(out->v, err);
    snprintf(path, sizeof path, "%s/provenance.jsonl", out->directory);
    out->provenance = fopen(path, "we");
    if (!out->provenance) {
        error_set(&err, ERR_OUTPUT, "%s: %m", path);
        return cli_fail(out->v, err);
    }
    return 0;
}

static int end_output(struct output *out, int status)
{
    struct error *err = NULL;
    if (out->provenance) {
        bool failed = ferror(out->provenance);
        failed |= fclose(out->provenance) != 0;
        if (failed && !status) {
            error_set(&err, ERR_OUTPUT, "%s/provenance.jsonl: %m", out->directory);
            status = cli_fail(out->v, err);
        }
    }
    if (out->directory && !status)
        fprintf(stderr, "%zu tasks in %s\n", out->count, out->directory);
    return status ? status : cli_out_flush(out->v);
}

/* The task, and beside it what is known of where it came from. */
static int put(struct output *out, struct arena *a, const char *id, struct bytes task, struct json *provenance)
{
    struct error *err = NULL;
    struct buf line;
    buf_init(&line, (size_t)1 << 30);
    buf_add(&line, task);
    buf_add_byte(&line, '\n');
    int status = 0;
    if (!out->directory)
        status = cli_out(out->v, buf_bytes(&line));
    else if (fs_write(arena_printf(a, "%s/%s.json", out->directory, id), buf_bytes(&line), &err) < 0)
        status = cli_fail(out->v, err);
    if (!status && out->provenance) {
        buf_clear(&line);
        json_write(&line, provenance, JSON_COMPACT);
        buf_add_byte(&line, '\n');
        fwrite(line.data, 1, line.len, out->provenance);
    }
    buf_release(&line);
    out->count++;
    return status;
}

/* ---- of a database ---- */

static void set_text(struct arena *a, struct json *object, const char *key, const char *text)
{
    if (text && *text)
        json_set(a, object, key, json_text(a, text));
}

static struct json *mutators_of(struct arena *a, const char *words)
{
    struct json *list = json_new(a, JSON_ARRAY);
    while (*words) {
        size_t len = strcspn(words, " ");
        json_add(list, json_string(a, bytes_of(words, len)));
        words += len + (words[len] == ' ');
    }
    return list;
}

static struct json *unsigned_of(struct arena *a, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return json_raw(a, bytes_of_string(digits));
}

static struct json *provenance_of(struct arena *a, const struct store_member_view *m, const struct store_origin *o, size_t count)
{
    struct json *p = json_new(a, JSON_OBJECT);
    json_set(a, p, "id", json_text(a, o->id));
    set_text(a, p, "domain", o->domain);
    set_text(a, p, "workflow", o->workflow);
    set_text(a, p, "grammar", o->grammar);
    json_set(a, p, "seed", unsigned_of(a, o->seed));
    json_set(a, p, "index", unsigned_of(a, o->index));
    json_set(a, p, "mutators", mutators_of(a, o->mutators));
    if (count > 1)
        json_set(a, p, "parent", json_text(a, o[1].id));
    for (size_t i = 0; i < count; i++) /* the nearest that somebody gave */
        if (o[i].file) {
            json_set(a, p, "file", json_text(a, o[i].file));
            json_set(a, p, "line", json_integer(a, o[i].line));
            json_set(a, p, "format", json_text(a, o[i].format));
            break;
        }
    json_set(a, p, "run", json_integer(a, o->run));
    set_text(a, p, "command", o->command);
    set_text(a, p, "target", o->target);
    json_set(a, p, "found_ms", json_integer(a, o->first_ms));
    json_set(a, p, "ns", json_integer(a, m->ns));
    json_set(a, p, "features", json_integer(a, m->features));
    json_set(a, p, "gained", json_integer(a, m->gained));
    return p;
}

static int put_member(struct output *out, struct store *store, struct arena *a, const struct store_member_view *m, struct error **err)
{
    struct store_origin *o = NULL;
    size_t count = 0;
    TRY(store_origins(store, m->id, a, &o, &count, err));
    out->status = put(out, a, m->id, bytes_of_string(m->json), provenance_of(a, m, o, count));
    return 0;
}

static int put_members(struct output *out, struct store *store)
{
    struct arena a;
    struct error *err = NULL;
    struct store_member_view m = {0};
    int more;
    arena_init(&a);
    while ((more = store_member_after(store, m.number, &a, &m, &err)) > 0 && !out->status) {
        if (put_member(out, store, &a, &m, &err) < 0) {
            more = -1;
            break;
        }
        arena_clear(&a);
    }
    arena_release(&a);
    return more < 0 ? cli_fail(out->v, err) : out->status;
}

/* ---- of files ---- */

static int put_seeds(struct output *out, const struct import *im)
{
    struct arena a;
    struct buf text;
    int status = 0;
    arena_init(&a);
    buf_init(&text, (size_t)1 << 30);
    for (size_t i = 0; i < im->count && !status; i++) {
        const struct import_seed *s = &im->seeds[i];
        struct json *p = json_new(&a, JSON_OBJECT);
        json_set(&a, p, "id", json_text(&a, s->task->id));
        json_set(&a, p, "file", json_text(&a, s->file));
        json_set(&a, p, "line", json_integer(&a, s->line));
        json_set(&a, p, "format", json_text(&a, s->format));
        buf_clear(&text);
        task_write(s->task, &text);
        status = put(out, &a, s->task->id, buf_bytes(&text), p);
        arena_clear(&a);
    }
    buf_release(&text);
    arena_release(&a);
    return status;
}

static int of_seeds(struct output *out, const struct cli_args *args)
{
    struct ops *ops = NULL;
    struct cli_seeds seeds = {0};
    int status = cli_ops(out->v, &ops);
    if (!status)
        status = cli_seeds(out->v, args, ops, &seeds);
    if (!status)
        status = begin_output(out);
    if (!status)
        status = end_output(out, put_seeds(out, &seeds.import));
    cli_seeds_release(&seeds);
    ops_free(ops);
    return status;
}

static int of_database(struct output *out, const struct cli_args *args)
{
    struct settings settings;
    struct store *store = NULL;
    struct error *err = NULL;
    const char *db = cli_value(args, "db");
    int status = cli_settings(out->v, args, &settings);
    if (status)
        return status;
    if (store_open(db ? db : "taskgen.db", STORE_READ, &settings, &store, &err) < 0)
        return cli_fail(out->v, err);
    status = begin_output(out);
    if (!status)
        status = end_output(out, put_members(out, store));
    store_close(store);
    return status;
}

static int run_corpus(const struct verb *v, struct cli_args *args)
{
    struct output out = {.v = v, .directory = cli_value(args, "out")};
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    if (out.directory && strlen(out.directory) > 3000)
        return cli_usage_fault(v, "--out: the name is too long");
    if (!cli_value(args, "seeds"))
        return of_database(&out, args);
    if (cli_value(args, "db"))
        return cli_usage_fault(v, "--db and --seeds do not go together");
    return of_seeds(&out, args);
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_corpus = {
    .name = "corpus",
    .usage = "[--db FILE | --seeds PATH] [--out DIR]",
    .summary = "write the corpus, or what seeds are read as, as tasks",
    .details = "Writes the members of a database's corpus, the tasks that showed something new, as JSON Lines, or with --out as a directory with a\n"
               "file ID.json for each, and provenance.jsonl, which says where each came from: parent, mutators, file, run. Such a\n"
               "directory is one for fuzz --seeds, on any machine. With --seeds it writes what those files are read as: tasks, recorded\n"
               "MCP sessions, Harbor and Inspect tasks, or any bytes. A fuzz on the same database may be running.",
    .options = options,
    .run = run_corpus,
};
