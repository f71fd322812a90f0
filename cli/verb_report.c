/* report: findings of a database, for people and programs. */
#include "cli/suppress_options.h"
#include "cli/verbs.h"
#include "corpus/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DATABASES_MAX = 32 };

static const struct cli_option own[] = {
    {"db", 0, "FILE", "a database (default taskgen.db); repeat it to lay several side by side"},
    {"format", 'f', "FORMAT", "text (the default), html, json, summary, csv, markdown, junit, sarif, series, script (see below)"},
    {"workflows", 0, NULL, "text and markdown: a line for each workflow, not only for each domain"},
    {"all", 0, NULL, "findings too that were not seen again, or are suppressed"},
    SUPPRESS_OPTION,
    {0},
};

static unsigned terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col > 140 ? 140 : size.ws_col;
    return 0;
}

/* The databases that are reported of, while they are open. */
struct opened {
    struct report_source sources[DATABASES_MAX];
    struct suppressions *suppress[DATABASES_MAX];
    size_t count;
};

static void close_all(struct opened *all)
{
    for (size_t i = 0; i < all->count; i++) {
        suppressions_free(all->suppress[i]);
        store_close(all->sources[i].store);
    }
}

static int open_one(const struct verb *v, const struct cli_args *args, const struct settings *settings, const char *name, struct opened *all)
{
    struct error *err = NULL;
    struct report_source *source = &all->sources[all->count];
    if (store_open(name, STORE_READ, settings, &source->store, &err) < 0)
        return cli_fail(v, err);
    source->name = name;
    struct suppressions **suppress = &all->suppress[all->count++];
    int status = cli_suppressions(v, args, source->store, false, suppress);
    source->suppress = *suppress;
    return status;
}

/* One file under two names would be counted twice. */
static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int open_all(const struct verb *v, const struct cli_args *args, const struct settings *settings, struct opened *all)
{
    const char *names[DATABASES_MAX + 1] = {"taskgen.db"};
    size_t count = cli_values(args, "db", names, DATABASES_MAX + 1);
    if (count > DATABASES_MAX)
        return cli_usage_fault(v, "--db: found more than %d databases", DATABASES_MAX);
    for (size_t i = 0; i < (count ? count : 1); i++) {
        for (size_t k = 0; k < i; k++)
            if (same_file(names[i], names[k]))
                return cli_usage_fault(v, "--db: '%s' is the same database as '%s'", names[i], names[k]);
        int status = open_one(v, args, settings, names[i], all);
        if (status)
            return status;
    }
    return 0;
}

static int write_report(const struct verb *v, const struct cli_args *args, const struct report_format *format,
                        const struct settings *settings, const struct ops *ops)
{
    struct error *err = NULL;
    struct opened all = {.count = 0};
    int status = open_all(v, args, settings, &all);
    if (!status) {
        struct report_options o = {
            .sources = all.sources,
            .source_count = all.count,
            .ops = ops,
            .all = cli_flag(args, "all"),
            .workflows = cli_flag(args, "workflows"),
            .signature = args->word_count ? args->words[0] : NULL,
            .width = terminal_width(),
        };
        struct buf out;
        buf_init(&out, (size_t)1 << 30);
        status = format->write(&o, &out, &err) < 0 ? cli_fail(v, err) : cli_out(v, buf_bytes(&out));
        buf_release(&out);
    }
    close_all(&all);
    return status;
}

static int run_report(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    const char *name = cli_value(args, "format");
    const struct report_format *format = report_find(name ? name : "text");
    if (!format)
        return cli_usage_fault(v, "--format: found '%s', expected text, html, json, summary, csv, markdown, junit, sarif, series or script", name);
    if (args->word_count > 1)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[1]);
    int status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status)
        status = write_report(v, args, format, &settings, ops);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_report = {
    .name = "report",
    .usage = "[--db FILE]... [--format FORMAT] [SIGNATURE]",
    .summary = "print what was run and found, targets side by side",
    .details = "Prints what each target was put to (tasks by domain, passed, failed, timed out, skipped), failures by primitive, how\n"
               "often sessions perished under which workload, and each finding with its layer, rate and shortest task. With several\n"
               "databases, say one of a code sandbox and one of a browser, all their targets stand side by side. With a SIGNATURE (or\n"
               "a prefix): only that finding. May be used while a fuzz on the same database is running.\n\n"
               "Formats: summary is JSON of everything, json of the findings; series is CSV of what the database held over time; script\n"
               "is one finding as a program that needs no taskgen.",
    .options = options,
    .run = run_report,
};
