/* The table of faults, their switches and the canary file; see faults.h. */
#include "leakybox/faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "leakybox/guards.h"
#include "leakybox/text.h"

#define FAULT(name) extern const struct fault fault_##name;
#include "leakybox/faults/list.h"
#undef FAULT

static const struct fault *const table[] = {
#define FAULT(name) &fault_##name,
#include "leakybox/faults/list.h"
#undef FAULT
};
enum { FAULT_COUNT = sizeof(table) / sizeof(*table) };

/* List 2. */
static const struct {
    const struct fault *fault;
    const char *guard;
} guarded[] = {
#define GUARDED(name, guard) {&fault_##name, guard},
#include "leakybox/faults/list_2.h"
#undef GUARDED
};
enum { GUARDED_COUNT = sizeof(guarded) / sizeof(*guarded) };

/* The switches and what was reported are one of a process, like its environment. */
static bool enabled[FAULT_COUNT];
static const struct guard *guards[FAULT_COUNT]; /* NULL: it is always there */
static enum fault_mark marked[FAULT_COUNT];
static int canary = -1;

static void mark(size_t i, enum fault_mark reached)
{
    static const char *const names[] = {"", "reached", "triggered"};
    char line[128];

    while (marked[i] < reached) {
        int n;

        marked[i]++;
        n = snprintf(line, sizeof(line), "%s%s%s %s\n", table[i]->id, guards[i] ? "+" : "", guards[i] ? guards[i]->id : "",
                     names[marked[i]]);
        if (canary >= 0)
            (void)!write(canary, line, (size_t)n); /* one write, so that servers may share the file */
    }
}

void faults_mark(const struct fault *fault, enum fault_mark reached)
{
    for (size_t i = 0; i < FAULT_COUNT; i++)
        if (table[i] == fault)
            mark(i, reached);
}

#define FAULT_POINT(point)                                                                                   \
    void faults_##point(struct fault_##point *event)                                                         \
    {                                                                                                        \
        for (size_t i = 0; i < FAULT_COUNT; i++)                                                             \
            if (enabled[i] && table[i]->point && guard_is_open(guards[i]))                                                             \
                mark(i, table[i]->point(event));                                                             \
    }
FAULT_POINTS(FAULT_POINT)
#undef FAULT_POINT

bool faults_behind(const struct guard *guard)
{
    bool any = false;

    for (size_t i = 0; i < FAULT_COUNT; i++)
        any |= enabled[i] && guards[i] == guard;
    return any;
}

void faults_opened(const struct guard *guard)
{
    char line[64];

    if (canary >= 0)
        (void)!write(canary, line, (size_t)snprintf(line, sizeof(line), "+%s opened\n", guard->id));
}

/* The fault, as it is in list 1 (guard NULL) or behind a guard. */
static void set(size_t i, bool on, const struct guard *guard)
{
    enabled[i] = on;
    guards[i] = guard;
}

static size_t index_of(struct bytes id)
{
    size_t i = 0;

    while (i < FAULT_COUNT && !bytes_equal_string(id, table[i]->id))
        i++;
    return i;
}

/* "ID+GUARD" */
static bool choose_guarded(struct bytes word, size_t plus, bool on)
{
    size_t i = index_of(bytes_slice(word, 0, plus));
    const struct guard *guard = guard_find(bytes_slice(word, plus + 1, word.len));

    if (i < FAULT_COUNT && guard)
        set(i, on, guard);
    return i < FAULT_COUNT && guard;
}

static void choose_list_2(bool on)
{
    for (size_t i = 0; i < GUARDED_COUNT; i++)
        set(index_of(bytes_of_string(guarded[i].fault->id)), on, guard_find(bytes_of_string(guarded[i].guard)));
}

static bool choose(struct bytes word)
{
    bool on = true, known = false;
    ptrdiff_t plus = bytes_find(word, BYTES_LITERAL("+"), 0);

    if (bytes_starts(word, BYTES_LITERAL("-"))) {
        on = false;
        word = bytes_slice(word, 1, word.len);
    }
    if (on && bytes_equal_string(word, "none")) {
        memset(enabled, 0, sizeof(enabled));
        return true;
    }
    if (plus >= 0)
        return choose_guarded(word, (size_t)plus, on);
    if (bytes_equal_string(word, "all-2")) {
        choose_list_2(on);
        return true;
    }
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        bool all = bytes_equal_string(word, "all");

        if (!all && !bytes_equal_string(word, table[i]->id) &&
            !(bytes_equal_string(word, "demo") && table[i]->demo))
            continue;
        set(i, on, NULL);
        known = true;
    }
    return known;
}

int faults_choose(const char *list, struct buf *why)
{
    struct bytes text = bytes_of_string(list);
    size_t from, to;

    for (from = 0; from <= text.len; from = to + 1) {
        for (to = from; to < text.len && text.data[to] != ','; to++)
            ;
        if (to > from && !choose(bytes_slice(text, from, to))) {
            buf_add_string(why, "unknown fault ");
            text_quote(why, bytes_slice(text, from, to));
            buf_add_string(why, "; --list and --list-2 name them, beside none, demo, all and all-2");
            return -1;
        }
    }
    return 0;
}

void faults_list(struct buf *out)
{
    buf_addf(out, "%-26s %-5s %-10s %-12s %-5s %-5s %s\n", "FAULT", "CLASS", "LAYER", "PRIMITIVE", "DEMO",
             "STATE", "WHAT HAPPENS [AFTER]");
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const struct fault *f = table[i];

        buf_addf(out, "%-26s %-5s %-10s %-12s %-5s %-5s %s [%s]\n", f->id, f->class_id, f->layer,
                 f->primitive, f->demo ? "demo" : "-", enabled[i] ? "on" : "off", f->summary, f->report);
    }
}

/* The file is named after the id: with _ for -. */
static void list_file(struct buf *out, const char *id)
{
    buf_add_string(out, "faults/");
    for (; *id; id++)
        buf_add_byte(out, *id == '-' ? '_' : (uint8_t)*id);
    buf_add_string(out, ".c");
}

/* One row. `guard`: NULL for list 1. */
static void list_row(struct buf *out, const struct fault *f, const struct guard *guard)
{
    const char *const texts[][2] = {{"class", f->class_id}, {"layer", f->layer}, {"primitive", f->primitive},
                                    {"needs", guard ? "sequence" : f->needs}};

    buf_addf(out, "{\"id\":\"%s%s%s\",", f->id, guard ? "+" : "", guard ? guard->id : "");
    for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
        buf_addf(out, "\"%s\":\"%s\",", texts[k][0], texts[k][1]);
    buf_add_string(out, "\"summary\":");
    struct buf summary;
    buf_init(&summary, 1024);
    for (size_t k = 0; guard && k < GUARD_DEEDS; k++)
        buf_addf(&summary, "%s %s%s", k ? "then" : "once", guard_deed(guard, k)->summary, k + 1 < GUARD_DEEDS ? ", " : ": ");
    buf_add_string(&summary, f->summary);
    json_write_string(out, buf_bytes(&summary));
    buf_release(&summary);
    for (size_t k = 0; guard && k < GUARD_DEEDS; k++)
        buf_addf(out, "%s\"%s\"%s", k ? "," : ",\"after\":[", guard->deeds[k], k + 1 < GUARD_DEEDS ? "" : "]");
    buf_addf(out, ",\"report\":\"%s\",\"demo\":%s,\"file\":\"", f->report, f->demo && !guard ? "true" : "false");
    list_file(out, f->id);
    buf_add_string(out, "\"}\n");
}

void faults_list_json(struct buf *out)
{
    for (size_t i = 0; i < FAULT_COUNT; i++)
        list_row(out, table[i], NULL);
}

void faults_list_2_json(struct buf *out)
{
    for (size_t i = 0; i < GUARDED_COUNT; i++)
        list_row(out, guarded[i].fault, guard_find(bytes_of_string(guarded[i].guard)));
}

int faults_canary(const char *file)
{
    if (!file || !*file)
        return 0;
    canary = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    return canary < 0 ? -1 : 0;
}
