/* merge: what several databases know, in one. */
#include "cli/verbs.h"
#include "corpus/store.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_option own[] = {
    {"json", 0, NULL, "the figures as one JSON object for each database"},
    {0},
};

static void tell(const char *path, const struct store_merged *m, bool json)
{
    if (json) {
        struct buf name;
        buf_init(&name, 1 << 16);
        json_write_string(&name, bytes_of_string(path));
        printf("{\"database\":%s,\"runs\":%lld,\"executions\":%lld,\"tasks\":%lld,\"features\":%lld,\"corpus\":%lld,\"findings\":%lld}\n",
               buf_string(&name), (long long)m->runs, (long long)m->executions, (long long)m->tasks, (long long)m->features,
               (long long)m->members, (long long)m->findings);
        buf_release(&name);
        return;
    }
    printf("%s: %lld executions, %lld tasks, %lld features, %lld members of the corpus, %lld findings were new\n", path,
           (long long)m->executions, (long long)m->tasks, (long long)m->features, (long long)m->members, (long long)m->findings);
}

/* Before anything is written. */
static int check_inputs(const struct verb *v, const struct cli_args *args)
{
    struct stat out, in;
    if (args->word_count < 2)
        return cli_usage_fault(v, "expected the database to merge into, and at least one to take from");
    bool there = stat(args->words[0], &out) == 0;
    for (size_t i = 1; i < args->word_count; i++) {
        if (stat(args->words[i], &in) < 0)
            return cli_usage_fault(v, "%s: %m", args->words[i]);
        if (there && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return cli_usage_fault(v, "'%s' cannot be merged into itself", args->words[i]);
    }
    return 0;
}

static int run_merge(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct store *store = NULL;
    struct error *err = NULL;
    int status = check_inputs(v, args);
    if (!status)
        status = cli_settings(v, args, &settings);
    if (status)
        return status;
    if (store_open(args->words[0], STORE_WRITE, &settings, &store, &err) < 0)
        return cli_fail(v, err);
    for (size_t i = 1; i < args->word_count && !status; i++) {
        struct store_merged m;
        if (store_merge(store, args->words[i], &settings, &m, &err) < 0)
            status = cli_fail(v, err);
        else
            tell(args->words[i], &m, cli_flag(args, "json"));
    }
    store_close(store);
    return status ? status : cli_out_flush(v);
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_merge = {
    .name = "merge",
    .usage = "OUT.db FROM.db… [OPTION]…",
    .summary = "take what other databases know into one",
    .details = "Takes runs, tasks, executions, features, members of the corpus, findings and counters of the other databases into the\n"
               "first, which is made when it is absent. What it knows already changes nothing, so a database may be merged again and\n"
               "again while its campaign goes on. Findings with one signature become one: the worse state, the smaller task. The others\n"
               "are only read, and may be of an older taskgen.",
    .options = options,
    .run = run_merge,
};
