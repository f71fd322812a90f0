/* rebucket: the findings of a database under other rules of texts, without running anything. */
#include "cli/verbs.h"
#include "corpus/store.h"
#include "exec/oracle/check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"rules", 0, "FILE", "how texts are made the same from run to run (docs/normalise.md; default: the rules that ship)"},
    {0},
};

/* What a finding is called by the rules; texts in `a`. */
static struct finding renamed(const struct finding *f, const struct normaliser *rules, struct arena *a)
{
    struct verdicts v = {.arena = a, .count = 1};
    struct finding to = *f;
    struct buf text;
    v.items[0] = (struct verdict){.check = f->check, .primitive = f->primitive, .op = f->op, .detail = f->raw};
    while (v.items[0].layer < LAYER_UNDECIDED && strcmp(layer_name(v.items[0].layer), f->layer))
        v.items[0].layer++;
    verdicts_normalise(&v, rules);
    buf_init(&text, 1 << 16);
    verdict_signature(&v.items[0], &text, to.signature);
    to.text = arena_string(a, buf_bytes(&text));
    to.detail = v.items[0].detail;
    buf_release(&text);
    return to;
}

static int rebucket(const struct verb *v, struct store *store, const struct normaliser *rules)
{
    struct arena a;
    struct finding *findings = NULL;
    size_t count = 0, changed = 0, merges = 0;
    struct error *err = NULL;
    arena_init(&a);
    int status = store_findings(store, NULL, &a, &findings, &count, &err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        struct finding to = renamed(&findings[i], rules, &a);
        bool merged = false;
        if (!strcmp(to.signature, findings[i].signature))
            continue;
        status = store_rename(store, findings[i].signature, &to, &merged, &err);
        if (status < 0)
            break;
        changed++;
        merges += merged;
        printf("%s -> %s%s  %s\n", findings[i].signature, to.signature, merged ? " (merged)" : "", to.text);
    }
    if (status >= 0)
        printf("%zu findings: %zu got another signature, %zu of them became one with another\n", count, changed, merges);
    arena_release(&a);
    return status < 0 ? cli_fail(v, err) : cli_out_flush(v);
}

static int run_rebucket(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    const struct normaliser *rules = NULL;
    struct store *store = NULL;
    struct error *err = NULL;
    const char *db = cli_value(args, "db");
    db = db ? db : "taskgen.db";
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    if (access(db, F_OK))
        return cli_usage_fault(v, "%s: %m", db);
    int status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_rules(v, args, &rules);
    if (!status && store_open(db, STORE_WRITE, &settings, &store, &err) < 0)
        status = cli_fail(v, err);
    if (status)
        return status;
    status = rebucket(v, store, rules);
    store_close(store);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_rebucket = {
    .name = "rebucket",
    .usage = "[--db FILE] [--rules FILE]",
    .summary = "put other rules of texts to the findings of a database",
    .details = "Makes the signature of each finding again, from what its check said, by the rules that ship or those of a file. Findings\n"
               "that have the same signature then become one. Nothing is run. Old signatures still find their findings, in report,\n"
               "replay and shrink. replay, shrink, run and fuzz take the same --rules.",
    .options = options,
    .run = run_rebucket,
};
