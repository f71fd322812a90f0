/* minimise: the corpus without the members that others make needless, without running anything. */
#include "cli/verbs.h"
#include "corpus/store.h"

#include <stdio.h>
#include <unistd.h>

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"dry-run", 'n', NULL, "only say how many would leave"},
    {"json", 0, NULL, "the figures as one JSON object"},
    {0},
};

static int tell(const struct verb *v, const struct store_minimised *m, bool dry, bool json)
{
    size_t left = m->members - m->needed;
    if (json)
        printf("{\"members\":%zu,\"needed\":%zu,\"%s\":%zu,\"features\":%zu}\n", m->members, m->needed, dry ? "would_leave" : "left",
               left, m->features);
    else
        printf("%zu members show %zu features; %zu are needed, %zu %s\n", m->members, m->features, m->needed, left,
               dry ? "would leave" : "left the corpus");
    return cli_out_flush(v);
}

static int run_minimise(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct store *store = NULL;
    struct store_minimised m;
    struct error *err = NULL;
    const char *db = cli_value(args, "db");
    db = db ? db : "taskgen.db";
    bool dry = cli_flag(args, "dry-run");
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    if (access(db, F_OK))
        return cli_usage_fault(v, "%s: %m", db);
    int status = cli_settings(v, args, &settings);
    if (status)
        return status;
    if (store_open(db, dry ? STORE_READ : STORE_WRITE, &settings, &store, &err) < 0)
        return cli_fail(v, err);
    status = store_minimise(store, dry, &m, &err) < 0 ? cli_fail(v, err) : tell(v, &m, dry, cli_flag(args, "json"));
    store_close(store);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_minimise = {
    .name = "minimise",
    .usage = "[--db FILE] [--dry-run]",
    .summary = "take out of the corpus what its other members show too",
    .details = "Looks for the smallest and quickest members of the corpus that show everything that all of them show, from what the\n"
               "database holds: nothing is run, and a hundred thousand members take seconds. The others leave the corpus: no fuzz\n"
               "picks them any more. Their rows stay, and findings are not touched. With --dry-run nothing is written.",
    .options = options,
    .run = run_minimise,
};
