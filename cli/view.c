/* The lines of the live view. Each has a rank; where the terminal has too few rows those of the highest rank are left out, and each is
 * cut at the right edge, never wrapped: drawing counts on a line being a row. */
#include "cli/view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 32, LINE_MAX = 256, TITLE = 11, TWO_TABLES_FROM = 76, TABLE = 38, NAME = 19 };

struct line {
    char text[LINE_MAX];
    int rank; /* 0: always shown */
};
struct lines {
    struct line items[LINES_MAX];
    size_t count;
};

static char *add_line(struct lines *l, int rank, const char *title)
{
    struct line *line = &l->items[l->count];
    l->count += l->count + 1 < LINES_MAX;
    line->rank = rank;
    snprintf(line->text, sizeof line->text, "%-*s", *title ? TITLE : 0, title);
    return line->text;
}

__attribute__((format(printf, 2, 3))) static void put(char *line, const char *format, ...)
{
    va_list args;
    size_t used = strlen(line);
    va_start(args, format);
    vsnprintf(line + used, LINE_MAX - used, format, args);
    va_end(args);
}

void view_time(int64_t ms, char out[32])
{
    int64_t s = ms / 1000;
    if (ms < 0)
        snprintf(out, 32, "-");
    else if (s < 86400)
        snprintf(out, 32, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, 32, "%" PRId64 " d %" PRId64 ":%02" PRId64 ":%02" PRId64, s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
}

static void put_ago(char *line, const struct figures *f, int64_t then_ms)
{
    char text[32];
    view_time(f->elapsed_ms - then_ms, text);
    put(line, "%s ago", text);
}

static void put_share(char *line, const char *name, int64_t part, int64_t whole)
{
    if (part)
        put(line, "%s %.0f%%  ", name, (double)part * 100 / (double)whole);
}

static void add_work(struct lines *l, const struct figures *f, unsigned columns)
{
    char elapsed[32];
    char *line = add_line(l, 0, "");
    view_time(f->elapsed_ms, elapsed);
    size_t room = columns > strlen(elapsed) + 3 ? columns - strlen(elapsed) - 3 : 0;
    put(line, "taskgen %s  %s", f->verb, *f->identity ? f->identity : f->target);
    if (room && room < LINE_MAX) /* the time at the right edge, whatever the target calls itself */
        snprintf(line + (strlen(line) < room ? strlen(line) : room), LINE_MAX - room, "%*s  %s",
                 strlen(line) < room ? (int)(room - strlen(line)) : 0, "", elapsed);
    if (f->gone_ms >= FIGURES_GONE_MS)
        put(add_line(l, 0, "target"), "cannot be started for %" PRId64 " s", f->gone_ms / 1000);
    line = add_line(l, 1, "tasks");
    put(line, "%" PRId64 ", %.1f/s now, %.1f/s in all  calls %" PRId64 ", %.0f/s", f->executions, f->rate, f->rate_mean, f->calls, f->call_rate);
    line = add_line(l, 5, "outcomes");
    put_share(line, "passed", f->passed, f->executions);
    put_share(line, "failed", f->failed, f->executions);
    put_share(line, "skipped", f->skipped, f->executions);
    put_share(line, "trouble", f->harness, f->executions);
    put(line, "workers %" PRId64, f->workers);
    int64_t made = f->generated + f->mutated + f->spliced;
    if (!made)
        return;
    line = add_line(l, 6, "made by");
    put_share(line, "templates", f->generated, made);
    put_share(line, "mutation", f->mutated, made);
    put_share(line, "splicing", f->spliced, made);
}

static void add_findings(struct lines *l, const struct figures *f)
{
    char *line = add_line(l, 2, "features");
    put(line, "%" PRId64, f->features);
    if (f->last_feature_ms >= 0) {
        put(line, ", the last ");
        put_ago(line, f, f->last_feature_ms);
    }
    put(line, "  corpus %" PRId64, f->corpus);
    if (f->features)
        put(line, "  stable %.0f%%", f->stability * 100);
    line = add_line(l, 1, "findings");
    put(line, "%" PRId64 " confirmed  %" PRId64 " flaky  ", f->confirmed, f->flaky);
    if (f->regressed)
        put(line, "%" PRId64 " regressed  ", f->regressed);
    if (f->notes)
        put(line, "notes among them %" PRId64 "  ", f->notes);
    if (f->suppressed)
        put(line, "suppressed %" PRId64, f->suppressed);
    if (!f->findings)
        return;
    line = add_line(l, 4, "layers");
    put(line, "sandbox %" PRId64 "  interface %" PRId64 "  undecided %" PRId64, f->sandbox, f->interface, f->undecided);
}

static int64_t of_primitive(const struct figures *f, size_t primitive)
{
    static const enum finding_state settled[] = {FINDING_CONFIRMED, FINDING_FLAKY, FINDING_REGRESSED};
    int64_t sum = 0;
    for (size_t layer = 0; layer < FIGURES_LAYERS; layer++)
        for (size_t i = 0; i < sizeof settled / sizeof *settled; i++)
            sum += f->by[layer][primitive][settled[i]];
    return sum;
}

/* Most of them first. */
static void add_primitives(struct lines *l, const struct figures *f)
{
    size_t count;
    const char *const *names = primitive_names(&count);
    bool said[FIGURES_PRIMITIVES] = {false};
    char *line = f->findings ? add_line(l, 4, "primitives") : NULL;
    while (line) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!said[i] && of_primitive(f, i) > (best < count ? of_primitive(f, best) : 0))
                best = i;
        if (best == count)
            break;
        said[best] = true;
        put(line, "%s %" PRId64 "  ", names[best], of_primitive(f, best));
    }
    if (f->last_finding_ms < 0)
        return;
    line = add_line(l, 3, "newest");
    put_ago(line, f, f->last_finding_ms);
    put(line, "  %s", f->last_title);
}

static void put_yield(char *line, const struct figures_yields *list, size_t row, const char *title)
{
    if (!row) {
        put(line, "%-*.*s %6s %4s %6s", NAME, NAME, title, "tried", "new", "new/s");
    } else if (row <= list->count) {
        const struct figures_yield *y = &list->items[row - 1];
        put(line, "%-*.*s %6" PRId64 " %4" PRId64, NAME, NAME, y->name, y->tried, y->won);
        if (y->ns)
            put(line, " %6.2f", figures_per_second(y));
    }
}

static size_t best_of(const struct figures_yields *list)
{
    return list->count < FIGURES_BEST ? list->count : FIGURES_BEST;
}

/* The best few domains and mutators, side by side where there is room. */
static void add_yields(struct lines *l, const struct figures *f, unsigned columns)
{
    const struct figures_yields *domains = &f->yields[FIGURES_DOMAIN], *mutators = &f->yields[FIGURES_MUTATOR];
    bool beside = columns >= TWO_TABLES_FROM;
    size_t rows = best_of(domains), more = best_of(mutators);
    if (beside && more > rows)
        rows = more;
    for (size_t row = 0; rows && row <= rows; row++) {
        char *line = add_line(l, 7 + (int)row, "");
        put_yield(line, domains, row, "domains");
        if (beside && more) {
            put(line, "%*s  ", strlen(line) < TABLE ? TABLE - (int)strlen(line) : 0, "");
            put_yield(line, mutators, row, "mutators");
        }
    }
    for (size_t row = 0; !beside && more && row <= more; row++)
        put_yield(add_line(l, 7 + (int)row, ""), mutators, row, "mutators");
}

/* Leaves out the last of the highest rank until `most` are left. */
static void thin_out(struct lines *l, size_t most)
{
    while (l->count > most && l->count > 1) {
        size_t worst = 0;
        for (size_t i = 1; i < l->count; i++)
            if (l->items[i].rank >= l->items[worst].rank)
                worst = i;
        memmove(&l->items[worst], &l->items[worst + 1], (l->count - worst - 1) * sizeof *l->items);
        l->count--;
    }
}

unsigned view_compose(const struct figures *f, unsigned columns, unsigned rows, struct buf *out)
{
    struct lines l = {.count = 0};
    add_work(&l, f, columns);
    add_findings(&l, f);
    add_primitives(&l, f);
    add_yields(&l, f, columns);
    thin_out(&l, rows > 3 ? rows * 2 / 3 : 1);
    for (size_t i = 0; i < l.count; i++) {
        const char *text = l.items[i].text;
        size_t length = strlen(text);
        while (length && text[length - 1] == ' ')
            length--;
        length = columns && length > columns - 1 ? columns - 1 : length;
        for (size_t k = 0; k < length; k++) /* one byte, one column; a target may call itself anything */
            buf_add_byte(out, (unsigned char)text[k] < 0x20 || (unsigned char)text[k] >= 0x7f ? '?' : (uint8_t)text[k]);
        buf_add_byte(out, '\n');
    }
    return (unsigned)l.count;
}

static void add_escaped(struct buf *out, struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '<' || text.data[i] == '>' || text.data[i] == '&')
            buf_addf(out, "&#%d;", text.data[i]);
        else
            buf_add_byte(out, text.data[i]);
    }
}

void view_page(const struct figures *f, unsigned columns, unsigned rows, struct buf *out)
{
    struct buf lines;
    buf_init(&lines, 1 << 16);
    view_compose(f, columns, rows, &lines);
    buf_add_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"5\">"
                        "<title>taskgen</title></head>\n<body>\n<pre>\n");
    add_escaped(out, buf_bytes(&lines));
    buf_addf(out, "</pre>\n<p>%s <a href=\"/metrics\">Metrics</a></p>\n</body>\n</html>\n",
             f->ended ? "The run has ended." : "");
    buf_release(&lines);
}
