/* explain: where an input came from, and what it was kept for. From the database alone; nothing is run. */
#include "cli/explain_domains.h"
#include "cli/explain_why.h"
#include "cli/verbs.h"
#include "corpus/report/report.h"
#include "corpus/store.h"
#include "exec/oracle/feedback.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_DIGITS = 8, LISTED = 30 };

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"all", 0, NULL, "list all that the task showed, not only the rarest of what it was kept for"},
    {"why", 0, NULL, "how its parent was picked, made again from the numbers that were kept, and what its own chance is now"},
    {"domains", 0, NULL, "instead: the domains of features, and what each has been good for"},
    {"json", 0, NULL, "an object; of domains one a line"},
    {0},
};

/* What is known of one ID. */
struct explained {
    const struct finding *finding; /* NULL: it was a task that was asked for */
    const struct store_origin *origins; /* the task, its parent and so on */
    size_t origin_count;                /* 0: the task of a finding that was never an input itself */
    const struct store_shown *shown;
    size_t shown_count;
    struct store_domain domains[FEEDBACK_IDS];
    struct store_picked pick, now; /* with --why; number or task 0: there is none */
    bool why, picked;
};

/* ---- finding out ---- */

/* "#12", or "12" where there is such a member. */
static int64_t number_of(const char *id)
{
    bool marked = *id == '#';
    size_t length = strspn(id + marked, "0123456789");
    return length && length <= NUMBER_DIGITS && !id[marked + length] ? strtoll(id + marked, NULL, 10) : 0;
}

static int member_at(struct store *store, int64_t number, struct arena *a, struct store_member_view *m, struct error **err)
{
    int more = store_member_after(store, number - 1, a, m, err);
    return more > 0 ? m->number == number : more;
}

static int read_task(struct store *store, const char *id, struct arena *a, struct explained *x, struct error **err)
{
    struct store_origin *origins = NULL;
    struct store_shown *shown = NULL;
    TRY(store_origins(store, id, a, &origins, &x->origin_count, err));
    TRY(store_shown(store, origins->id, a, &shown, &x->shown_count, err));
    x->origins = origins;
    x->shown = shown;
    for (size_t i = 0; i < x->shown_count; i++) {
        unsigned domain = (unsigned)(shown[i].feature >> 56);
        if (domain < FEEDBACK_IDS && !x->domains[domain].features)
            TRY(store_domain(store, domain, &x->domains[domain], err));
    }
    return 0;
}

/* A finding's task, where it was ever run as it is: made smaller, it was not. */
static int read_finding(struct store *store, struct arena *a, struct explained *x)
{
    struct json *task = NULL;
    struct error *none = NULL;
    if (json_read(a, bytes_of_string(x->finding->task), NULL, "task", &task, NULL, NULL) < 0)
        return 0;
    const char *id = arena_string(a, json_as_text(json_get(task, "id")));
    if (strlen(id) == 32 && read_task(store, id, a, x, &none) < 0)
        x->origin_count = 0;
    error_free(none);
    return 0;
}

/* 0, or the exit status of a fault that was said. */
static int look_up(const struct verb *v, struct store *store, const char *id, struct arena *a, struct explained *x)
{
    struct finding *findings = NULL;
    size_t found = 0;
    struct store_member_view m;
    struct error *err = NULL, *no_task = NULL;
    int64_t number = number_of(id);
    int member = number ? member_at(store, number, a, &m, &err) : 0;
    if (member < 0)
        return cli_fail(v, err);
    if (!member && *id == '#')
        return cli_usage_fault(v, "the corpus has no member %s", id);
    if (!member && store_findings(store, id, a, &findings, &found, &err) < 0)
        return cli_fail(v, err);
    int status = read_task(store, member ? m.id : id, a, x, &no_task);
    if (status >= 0 && found)
        return cli_usage_fault(v, "both a task and a finding begin with '%s': write more of it", id);
    if (found > 1)
        status = cli_usage_fault(v, "%zu findings have a signature that begins with '%s', expected one", found, id);
    else if (status < 0 && found == 1) {
        x->finding = &findings[0];
        status = read_finding(store, a, x);
    } else if (status < 0) {
        return cli_fail(v, no_task);
    }
    error_free(no_task);
    return status;
}

static int read_why(struct store *store, struct arena *a, struct explained *x, struct error **err)
{
    x->why = true;
    TRY(store_pick_of(store, x->origins->id, a, &x->pick, &x->picked, err));
    return x->origins->number ? store_weigh(store, x->origins->number, a, &x->now, err) : 0;
}

/* ---- in words ---- */

static const char *domain_name_of(const struct store_shown *f)
{
    const struct feedback *d = feedback_of(f->feature);
    return d ? d->name : "unknown";
}

static const char *words_of(const struct store_shown *f, struct arena *a)
{
    return *f->text ? f->text : arena_printf(a, "%016" PRIx64, f->feature);
}

/* What a person or a target has written. */
static void add_safe(struct buf *out, const char *text)
{
    report_safe(out, bytes_of_string(text), false);
}

static void add_feature(struct buf *out, const struct explained *x, const struct store_shown *f, struct arena *a)
{
    const struct store_domain *d = &x->domains[f->feature >> 56 & (FEEDBACK_IDS - 1)];
    buf_addf(out, "  %s: ", domain_name_of(f));
    add_safe(out, words_of(f, a));
    buf_addf(out, "\n      shown by %lld execution%s, one of %lld in its domain%s\n", (long long)f->shown,
             f->shown == 1 ? "" : "s", (long long)d->features, f->stable ? "" : ", not stable");
}

static void add_features(struct buf *out, const struct explained *x, bool all, struct arena *a)
{
    size_t brought = 0;
    while (brought < x->shown_count && x->shown[brought].brought)
        brought++;
    if (!x->shown_count) {
        buf_add_string(out, "it is not kept to be mutated: nothing new that it may have shown was seen to show again\n");
        return;
    }
    buf_addf(out, "kept for what it was the first to show (%zu):\n", brought);
    size_t listed = all || brought < LISTED ? brought : LISTED;
    for (size_t i = 0; i < listed; i++)
        add_feature(out, x, &x->shown[i], a);
    if (listed < brought)
        buf_addf(out, "  and %zu that were shown more often since\n", brought - listed);
    if (x->shown_count > brought)
        buf_addf(out, "it shows %zu more%s\n", x->shown_count - brought, all ? ":" : " (--all lists them)");
    for (size_t i = brought; all && i < x->shown_count; i++)
        add_feature(out, x, &x->shown[i], a);
}

static void add_made(struct buf *out, const struct store_origin *o)
{
    if (o->file) {
        buf_add_string(out, "read from ");
        add_safe(out, o->file);
        buf_addf(out, " (%s)", o->format);
    }
    if (o->file && o->line)
        buf_addf(out, ", line %lld", (long long)o->line);
    if (*o->domain)
        buf_addf(out, "%s%s, workflow %s", o->file ? "; " : "", o->domain, o->workflow);
    if (*o->domain && *o->grammar)
        buf_addf(out, ", seed %" PRIu64 ", index %" PRIu64, o->seed, o->index);
    if (!*o->domain && !o->file)
        buf_add_string(out, "never run with this database");
}

static void add_run(struct buf *out, const struct store_origin *o)
{
    if (!o->run && !o->first_ms)
        return;
    buf_addf(out, "run %lld time%s, first at ", (long long)o->times, o->times == 1 ? "" : "s");
    report_time(out, o->first_ms);
    if (*o->command) {
        buf_addf(out, " by run %lld: ", (long long)o->run);
        add_safe(out, o->command);
    }
    buf_add_byte(out, '\n');
}

static void add_chain(struct buf *out, const struct explained *x)
{
    for (size_t i = 0; i < x->origin_count; i++) {
        const struct store_origin *o = &x->origins[i];
        buf_addf(out, "  %.12s  ", o->id);
        bool last = i + 1 == x->origin_count;
        if (*o->mutators)
            buf_addf(out, "%s%s", o->mutators, last ? "; " : "");
        if (last)
            add_made(out, o);
        else
            buf_addf(out, "%s%.12s", *o->mutators ? ", of " : "edited from ", x->origins[i + 1].id);
        buf_add_byte(out, '\n');
    }
}

static void add_finding(struct buf *out, const struct finding *f)
{
    buf_addf(out, "finding %s  ", f->signature);
    add_safe(out, f->text);
    buf_add_byte(out, '\n');
    add_safe(out, f->title);
    buf_addf(out, "\n%s, ", finding_state_name(f->state));
    report_rate(out, f);
    buf_addf(out, "; seen %lld times, first at ", (long long)f->times_seen);
    report_time(out, f->first_ms);
    buf_add_string(out, ", on ");
    add_safe(out, f->target);
    buf_add_byte(out, '\n');
}

static void add_why(struct buf *out, const struct explained *x)
{
    if (x->picked)
        explain_why_pick(&x->pick, x->origin_count > 1 ? x->origins[1].id : "", out);
    else
        buf_add_string(out, "why: it was not made of a kept task, so none was picked\n");
    if (x->now.number)
        explain_why_member(&x->now, out);
}

static void add_text(struct buf *out, const struct explained *x, bool all, struct arena *a)
{
    if (x->finding)
        add_finding(out, x->finding);
    if (!x->origin_count) {
        buf_add_string(out, "its task was made smaller, or comes from elsewhere: it was never an input itself\n");
        return;
    }
    buf_addf(out, "task %s", x->origins->id);
    if (x->origins->number)
        buf_addf(out, ", number %lld of the corpus", (long long)x->origins->number);
    buf_addf(out, "%s\n", x->origins->retired ? ", which left the corpus: others show all that it shows" : "");
    add_run(out, x->origins);
    add_chain(out, x);
    if (x->why)
        add_why(out, x);
    add_features(out, x, all, a);
}

/* ---- as JSON ---- */

static struct json *origin_json(const struct store_origin *o, struct arena *a)
{
    struct json *row = json_new(a, JSON_OBJECT);
    json_set(a, row, "task", json_text(a, o->id));
    json_set(a, row, "domain", json_text(a, o->domain));
    json_set(a, row, "workflow", json_text(a, o->workflow));
    json_set(a, row, "grammar", json_text(a, o->grammar));
    json_set(a, row, "seed", json_raw(a, bytes_of_string(arena_printf(a, "%" PRIu64, o->seed))));
    json_set(a, row, "index", json_raw(a, bytes_of_string(arena_printf(a, "%" PRIu64, o->index))));
    struct json *mutators = json_set(a, row, "mutators", json_new(a, JSON_ARRAY));
    for (const char *at = o->mutators; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        json_add(mutators, json_string(a, bytes_of(at, length)));
        at += length;
    }
    json_set(a, row, "times", json_integer(a, o->times));
    json_set(a, row, "run", json_integer(a, o->run));
    json_set(a, row, "first_ms", json_integer(a, o->first_ms));
    json_set(a, row, "command", json_text(a, o->command));
    json_set(a, row, "target", json_text(a, o->target));
    if (o->file) {
        json_set(a, row, "file", json_text(a, o->file));
        json_set(a, row, "line", json_integer(a, o->line));
        json_set(a, row, "format", json_text(a, o->format));
    }
    return row;
}

static struct json *feature_json(const struct explained *x, const struct store_shown *f, struct arena *a)
{
    const struct store_domain *d = &x->domains[f->feature >> 56 & (FEEDBACK_IDS - 1)];
    struct json *row = json_new(a, JSON_OBJECT);
    json_set(a, row, "domain", json_text(a, domain_name_of(f)));
    json_set(a, row, "text", json_text(a, words_of(f, a)));
    json_set(a, row, "hash", json_text(a, arena_printf(a, "%016" PRIx64, f->feature)));
    json_set(a, row, "kept_for", json_bool(a, f->brought));
    json_set(a, row, "stable", json_bool(a, f->stable));
    json_set(a, row, "shown", json_integer(a, f->shown));
    json_set(a, row, "domain_features", json_integer(a, d->features));
    json_set(a, row, "domain_stable", json_integer(a, d->stable));
    bool known = f->stable && f->shown > 0 && d->features > 0;
    json_set(a, row, "rarity", json_real(a, known ? 1 / ((double)f->shown * (double)d->features) : 0));
    return row;
}

static void add_json(struct buf *out, const struct explained *x, struct arena *a)
{
    struct json *o = json_new(a, JSON_OBJECT);
    if (x->finding) {
        struct json *f = json_set(a, o, "finding", json_new(a, JSON_OBJECT));
        json_set(a, f, "signature", json_text(a, x->finding->signature));
        json_set(a, f, "text", json_text(a, x->finding->text));
        json_set(a, f, "state", json_text(a, finding_state_name(x->finding->state)));
    }
    if (x->origin_count) {
        json_set(a, o, "task", json_text(a, x->origins->id));
        json_set(a, o, "number", json_integer(a, x->origins->number));
        json_set(a, o, "retired", json_bool(a, x->origins->retired));
    }
    struct json *origins = json_set(a, o, "origins", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < x->origin_count; i++)
        json_add(origins, origin_json(&x->origins[i], a));
    if (x->picked)
        json_set(a, o, "pick", explain_why_json(&x->pick, true, a));
    if (x->now.number)
        json_set(a, o, "now", explain_why_json(&x->now, false, a));
    struct json *features = json_set(a, o, "features", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < x->shown_count; i++)
        json_add(features, feature_json(x, &x->shown[i], a));
    json_write(out, o, JSON_COMPACT);
    buf_add_byte(out, '\n');
}

/* ---- the verb ---- */

static int explain(const struct verb *v, const struct cli_args *args, struct store *store)
{
    struct explained x = {0};
    struct arena a;
    struct buf out;
    arena_init(&a);
    buf_init(&out, 1 << 30);
    struct error *err = NULL;
    int status = look_up(v, store, args->words[0], &a, &x);
    if (!status && cli_flag(args, "why") && x.origin_count && read_why(store, &a, &x, &err) < 0)
        status = cli_fail(v, err);
    if (!status && cli_flag(args, "json"))
        add_json(&out, &x, &a);
    else if (!status)
        add_text(&out, &x, cli_flag(args, "all"), &a);
    if (!status)
        status = cli_out(v, buf_bytes(&out));
    buf_release(&out);
    arena_release(&a);
    return status ? status : cli_out_flush(v);
}

static int explain_all_domains(const struct verb *v, const struct cli_args *args, struct store *store)
{
    struct buf out;
    struct error *err = NULL;
    buf_init(&out, 1 << 20);
    int status = explain_domains(store, cli_flag(args, "json"), &out, &err) < 0 ? cli_fail(v, err) : cli_out(v, buf_bytes(&out));
    buf_release(&out);
    return status ? status : cli_out_flush(v);
}

static int run_explain(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct store *store = NULL;
    struct error *err = NULL;
    const char *db = cli_value(args, "db");
    db = db ? db : "taskgen.db";
    bool domains = cli_flag(args, "domains");
    if (domains ? args->word_count != 0 : args->word_count != 1)
        return cli_usage_fault(v, "expected one ID: of a task, of a finding, or a number of the corpus; or --domains");
    if (access(db, F_OK))
        return cli_usage_fault(v, "%s: %m", db);
    int status = cli_settings(v, args, &settings);
    if (status)
        return status;
    if (store_open(db, STORE_READ, &settings, &store, &err) < 0)
        return cli_fail(v, err);
    status = domains ? explain_all_domains(v, args, store) : explain(v, args, store);
    store_close(store);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_explain = {
    .name = "explain",
    .usage = "[--db FILE] [--all] [--why] ID | --domains",
    .summary = "say where an input came from, and what it is kept for",
    .details = "ID is the beginning of a task's id or of a finding's signature, or a number of the corpus (12 or #12). Says how the task was\n"
               "made, when it was first run, which task it was mutated from and so on, and what it was the first to show: how a call\n"
               "ended, an error code, a file that changed. How rare each of these is decides how often the task is mutated; --why has the numbers. Nothing is run.\n"
               "--domains: how many features of each domain were ever shown and how many are stable, how many tasks it let into the corpus and\n"
               "how many of those no other domain would have let in, and in how many fresh sessions of how many a feature has to show again\n"
               "(-: it lets nobody in without another one).",
    .options = options,
    .run = run_explain,
};
