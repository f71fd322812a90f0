/* report: findings of a database, for people and programs. */
#include "cli/suppress_options.h"
#include "cli/verbs.h"
#include "corpus/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"format", 'f', "FORMAT", "text (the default), json, csv, markdown, junit, sarif, series (CSV over time), or script: one finding without taskgen"},
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

static int write_report(const struct verb *v, const struct cli_args *args, const struct report_format *format,
                        const struct settings *settings, const struct ops *ops)
{
    const char *db = cli_value(args, "db");
    struct error *err = NULL;
    struct store *store = NULL;
    if (store_open(db ? db : "taskgen.db", STORE_READ, settings, &store, &err) < 0)
        return cli_fail(v, err);
    struct suppressions *suppress = NULL;
    int status = cli_suppressions(v, args, store, false, &suppress);
    if (status) {
        store_close(store);
        return status;
    }
    struct report_options o = {
        .suppress = suppress,
        .ops = ops,
        .all = cli_flag(args, "all"),
        .signature = args->word_count ? args->words[0] : NULL,
        .width = terminal_width(),
        .db = db,
    };
    struct buf out;
    buf_init(&out, (size_t)1 << 30);
    status = format->write(store, &o, &out, &err) < 0 ? cli_fail(v, err) : cli_out(v, buf_bytes(&out));
    buf_release(&out);
    suppressions_free(suppress);
    store_close(store);
    return status;
}

static int run_report(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    const char *name = cli_value(args, "format");
    const struct report_format *format = report_find(name ? name : "text");
    if (!format)
        return cli_usage_fault(v, "--format: found '%s', expected text, json, csv, markdown, junit, sarif, series or script", name);
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
    .usage = "[--db FILE] [--format FORMAT] [SIGNATURE]",
    .summary = "print the findings of a database",
    .details = "Prints what was run and each finding with its layer, primitive, rate and shortest task. With a SIGNATURE (or a\n"
               "prefix): only that one. May be used while a fuzz on the same database is running.",
    .options = options,
    .run = run_report,
};
