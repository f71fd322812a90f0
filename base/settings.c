/* The table of settings and what is done with it; the INI file is read in settings_ini.c.
 *
 * Invariant: the rows are sorted by name (a test holds that), so that lookups bisect and the JSON comes out
 * sorted. */
#include "base/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_internal.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define SECOND 1000.0
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define MANY 1e12

static const struct setting_row rows[] = {
    {"browser.settle", "ms", 5 * SECOND, 0, HOUR, "for a page to have all that it needs, once its document was read"},

    {"budget.bytes", "bytes", 256 * MIB, 1, 1024 * GIB, "payload bytes sent to a target in one session"},
    {"budget.calls", "count", 2000, 1, MANY, "calls made in one session"},
    {"budget.disk", "bytes", 512 * MIB, MIB, 1024 * GIB,
     "disk space that one session's root and home may take"},
    {"budget.flood", "ratio", 0.25, 0.01, 1,
     "share of this machine's memory for one session's tabs; then no more are opened"},
    {"budget.memory", "bytes", 2 * GIB, 16 * MIB, 1024 * GIB, "memory of all processes of one boxed session"},
    {"budget.processes", "count", 256, 1, 1e6, "processes alive at one time in one boxed session"},
    {"budget.rate", "count", 0, 0, 1e6, "calls a second to one target; 0: as fast as it answers"},
    {"budget.tabs", "count", 300, 1, 1e4, "browser tabs open at one time in one session"},

    {"check.time", "ms", 5 * SECOND, 1, HOUR, "one command of a check of your own, about one step"},

    {"confirm.need", "count", 3, 1, 1000, "failures in fresh sessions that confirm a finding"},
    {"confirm.note-share", "ratio", 0.05, 0, 1, "share of a fuzz's time for fresh sessions and smaller tasks of notes"},
    {"confirm.per-signature", "count", 3, 1, 1000,
     "inputs that are tried in fresh sessions for one signature"},
    {"confirm.runs", "count", 5, 1, 1000, "fresh sessions in which a new finding is tried again"},

    {"exec.era-timeout", "ms", 5 * SECOND, 1, HOUR, "server/discover of a target met first, until initialize is tried"},
    {"exec.grace", "ms", 2 * SECOND, 0, HOUR, "from asking a target to end until it is killed"},
    {"exec.limit-grace", "ms", 3 * SECOND, 0, HOUR, "for the answer of a tool whose own time limit is over"},
    {"exec.max-line", "bytes", 256 * MIB, KIB, 4 * GIB, "longest protocol line read from a target"},
    {"exec.max-reply", "bytes", 64 * MIB, KIB, 4 * GIB, "longest reply or output stream kept of one step"},
    {"exec.probe-timeout", "ms", 5 * SECOND, 1, HOUR, "one probe of what a target can do"},
    {"exec.send-wait", "ms", 300, 0, HOUR, "for anything to come back after raw bytes that ask for no answer"},
    {"exec.session-timeout", "ms", 120 * SECOND, 1, DAY,
     "one whole session: start, all steps of a task, end"},
    {"exec.start-timeout", "ms", 15 * SECOND, 1, HOUR, "from starting a target until it answers"},
    {"exec.step-timeout", "ms", 10 * SECOND, 1, DAY, "one step of a task, where the step says nothing else"},

    {"feedback.again-share", "ratio", 0.12, 0, 1, "share of a fuzz's time for running tasks again that showed something new"},
    {"feedback.give-up", "count", 3, 1, 100, "times that something new may fail to show again until it is left alone"},

    {"gate.mutants", "count", 8, 0, 1000, "solutions with a fault that are tried on one task's verifier"},
    {"gate.mutation-floor", "ratio", 0.8, 0, 1, "share of such solutions that a verifier must refuse"},
    {"gate.trial-time", "ms", 10 * SECOND, 100, HOUR, "one run of an exported task's solution or verifier"},

    {"generate.depth", "count", 24, 1, 10000, "nesting of rules in one derivation"},
    {"generate.max-bytes", "bytes", 256 * KIB, KIB, GIB, "length of one task as JSON"},
    {"generate.max-content", "bytes", 64 * MIB, 0, 1024 * GIB, "length of one content made from a recipe"},
    {"generate.max-steps", "count", 30, 1, 10000, "steps of one task"},

    {"leftover.limit", "ms", 2 * SECOND, 0, HOUR, "from the end of a call at its time limit until its processes count as left"},
    {"leftover.settle", "ms", 300, 0, HOUR, "from the end of a session until leftover processes are counted"},

    {"loop.adapt", "ratio", 0.5, 0, 1, "how much of the shares of generate, mutate and splice follows what pays"},
    {"loop.batch", "count", 50, 1, 1e6, "executions in one transaction of the store"},
    {"loop.batch-ms", "ms", 500, 1, HOUR, "longest time that a finished execution waits for its transaction"},
    {"loop.choices", "count", 8, 1, 100, "fresh tasks of which the one runs that tries most of what was tried least"},
    {"loop.feedback", "flag", 1, 0, 1, "what runs have shown decides what runs next; 0: for comparison, nothing does"},
    {"loop.mutate-ramp", "count", 30, 0, 1e6, "kept tasks with which half of the mutate-share is used; 0: all at once"},
    {"loop.mutate-share", "ratio", 0.2, 0, 1, "share of the loop's inputs made by mutating a kept one"},
    {"loop.patience", "ms", 120 * SECOND, 0, DAY, "from the first session that cannot be had any more until the target is given up"},
    {"loop.splice-ramp", "count", 60, 0, 1e6, "kept tasks with which half of the splice-share is used; 0: all at once"},
    {"loop.splice-share", "ratio", 0.6, 0, 1, "share of the loop's inputs made of several tasks in one session"},
    {"loop.splice-steps", "count", 32, 1, 1000, "most steps of a task that is put together with others"},
    {"loop.splice-tasks", "count", 4, 2, 8, "most tasks in one such session"},
    {"loop.start-share", "ratio", 0.1, 0, 1, "share of inputs with another start of the target, or a disk that is full"},
    {"loop.tree-share", "ratio", 0.3, 0, 1, "share of those made by editing the kept one's derivation, if it has one"},
    {"loop.wire-share", "ratio", 0.15, 0, 1, "share of inputs with a mutated frame or environment of a call; MCP only"},

    {"mutate.strength", "ratio", 1, 0, 1, "strength of templates' hazards: 1 as written, 0 none"},

    {"observe.syscalls-share", "ratio", 1, 0, 1, "share of tasks whose system calls are observed, where that is possible"},

    {"select.candidates", "count", 1000, 1, 1e6,
     "tasks tried for one that --class, --primitive, --steps or --hostile fits"},

    {"session.tasks", "count", 50, 1, 1e6, "tasks that one session is used for, with --reset task or never"},

    {"shrink.runs", "count", 200, 1, 1e6, "sessions that making one finding's task smaller may take"},
    {"shrink.share", "ratio", 0.1, 0, 1, "share of a fuzz's time that goes into smaller tasks for its findings; 0: none"},
    {"shrink.time", "ms", 60 * SECOND, 1, DAY, "time that making one finding's task smaller may take"},

    {"stats.interval", "ms", 5 * SECOND, 50, HOUR, "between two writes of --stats and --series"},

    {"status.interval", "ms", SECOND, 50, HOUR, "between two updates of the status line or the live view"},

    {"store.keep-failed", "bytes", 64 * MIB, 0, 1024 * GIB,
     "records of steps kept for failures that brought nothing new"},
    {"store.keep-output", "bytes", 4096, 0, GIB, "beginning of each output that is kept as evidence"},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(sizeof rows / sizeof *rows <= SETTINGS_MAX, "struct settings is too small");

/* What may follow a number, by unit. */
static const struct suffix {
    const char *unit, *text;
    double factor;
} suffixes[] = {
    {"bytes", "", 1},   {"bytes", "K", KIB},   {"bytes", "M", MIB}, {"bytes", "G", GIB},
    {"ms", "", 1},      {"ms", "ms", 1},       {"ms", "s", SECOND}, {"ms", "m", 60 * SECOND},
    {"ms", "h", HOUR},  {"count", "", 1},      {"ratio", "", 1},    {"flag", "", 1},
};

static const struct {
    const char *unit, *expected;
} expectations[] = {
    {"bytes", "a size like 4096, 64K, 1.5M or 2G"},
    {"ms", "a time like 500, 500ms, 10s, 5m or 1h"},
    {"count", "a whole number"},
    {"ratio", "a number from 0 to 1"},
    {"flag", "0 or 1"},
};

const struct setting_row *settings_table(size_t *count)
{
    *count = ROWS;
    return rows;
}

void settings_defaults(struct settings *s)
{
    *s = (struct settings){0};
    for (size_t i = 0; i < ROWS; i++)
        s->value[i] = rows[i].value;
}

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct setting_row *)row)->name);
}

/* NULL when there is none. */
static const struct setting_row *find_row(const char *name)
{
    return bsearch(name, rows, ROWS, sizeof *rows, compare_name);
}

/* Digits with at most one point among them, not at an end; *end is behind them. Signs, exponents, hex and
 * "inf", which strtod would take, are not for settings. */
static bool scan_number(const char *text, const char **end)
{
    size_t whole = strspn(text, "0123456789");
    *end = text + whole;
    if (whole && **end == '.') {
        size_t fraction = strspn(*end + 1, "0123456789");
        *end += fraction ? fraction + 1 : 0;
    }
    return whole > 0;
}

static bool parse_value(const char *unit, const char *text, double *value)
{
    const char *end;
    if (!scan_number(text, &end))
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const struct suffix *s = &suffixes[i];
        if (strcmp(s->unit, unit) == 0 && strcmp(s->text, end) == 0) {
            *value = strtod(text, NULL) * s->factor;
            return strcmp(unit, "ratio") == 0 || *value == floor(*value);
        }
    }
    return false;
}

/* The largest suffix that leaves a whole number: 65536 is "64K". */
static void print_value(struct buf *out, const char *unit, double value)
{
    const struct suffix *best = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const struct suffix *s = &suffixes[i];
        if (strcmp(s->unit, unit) == 0 &&
            (!best || (value != 0 && value == floor(value / s->factor) * s->factor)))
            best = s;
    }
    json_number_shortest(out, value / (best ? best->factor : 1));
    buf_add_string(out, best ? best->text : "");
}

static int fail_range(const struct setting_row *row, const char *text, struct error **err)
{
    struct buf range;
    buf_init(&range, 256);
    print_value(&range, row->unit, row->low);
    buf_add_string(&range, " to ");
    print_value(&range, row->unit, row->high);
    int code = error_set(err, ERR_INPUT, "setting '%s' is '%s', expected %s", row->name, text,
                         buf_string(&range));
    buf_release(&range);
    return code;
}

bool settings_parse(const char *unit, const char *text, double *value, const char **expected)
{
    if (parse_value(unit, text, value))
        return true;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
        if (strcmp(expectations[i].unit, unit) == 0)
            *expected = expectations[i].expected;
    return false;
}

int settings_set(struct settings *s, const char *name, const char *text, struct error **err)
{
    const struct setting_row *row = find_row(name);
    if (!row)
        return error_set(err, ERR_INPUT, "there is no setting '%s'", name);
    double value;
    const char *expected = row->unit;
    if (!settings_parse(row->unit, text, &value, &expected))
        return error_set(err, ERR_INPUT, "setting '%s' is '%s', expected %s", row->name, text, expected);
    if (value < row->low || value > row->high)
        return fail_range(row, text, err);
    s->value[row - rows] = value;
    return 0;
}

double settings_real(const struct settings *s, const char *name)
{
    const struct setting_row *row = find_row(name);
    if (!row)
        BUG(name);
    return s->value[row - rows];
}

int64_t settings_int(const struct settings *s, const char *name)
{
    return (int64_t)settings_real(s, name);
}

bool settings_flag(const struct settings *s, const char *name)
{
    return settings_real(s, name) != 0;
}

void settings_json(const struct settings *s, struct buf *out)
{
    for (size_t i = 0; i < ROWS; i++) {
        buf_addf(out, "%s\"%s\":", i ? "," : "{", rows[i].name);
        json_number_shortest(out, s->value[i]);
    }
    buf_add_byte(out, '}');
}
