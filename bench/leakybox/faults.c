/* The table of faults, their switches and the canary file; see faults.h. */
#include "leakybox/faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The switches and what was reported are one of a process, like its environment. */
static bool enabled[FAULT_COUNT];
static enum fault_mark marked[FAULT_COUNT];
static int canary = -1;

static void mark(size_t i, enum fault_mark reached)
{
    static const char *const names[] = {"", "reached", "triggered"};
    char line[96];

    while (marked[i] < reached) {
        int n;

        marked[i]++;
        n = snprintf(line, sizeof(line), "%s %s\n", table[i]->id, names[marked[i]]);
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
            if (enabled[i] && table[i]->point)                                                               \
                mark(i, table[i]->point(event));                                                             \
    }
FAULT_POINTS(FAULT_POINT)
#undef FAULT_POINT

static bool choose(struct bytes word)
{
    bool on = true, known = false;

    if (bytes_starts(word, BYTES_LITERAL("-"))) {
        on = false;
        word = bytes_slice(word, 1, word.len);
    }
    if (on && bytes_equal_string(word, "none")) {
        memset(enabled, 0, sizeof(enabled));
        return true;
    }
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        bool all = bytes_equal_string(word, "all");

        if (!all && !bytes_equal_string(word, table[i]->id) &&
            !(bytes_equal_string(word, "demo") && table[i]->demo))
            continue;
        enabled[i] = on;
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
            buf_add_string(why, "; --list names them, beside none, demo and all");
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

void faults_list_json(struct buf *out)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const struct fault *f = table[i];
        const char *const texts[][2] = {
            {"id", f->id},       {"class", f->class_id},  {"layer", f->layer},  {"primitive", f->primitive},
            {"needs", f->needs}, {"summary", f->summary}, {"report", f->report}};

        buf_add_byte(out, '{');
        for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
            buf_addf(out, "\"%s\":", texts[k][0]);
            json_write_string(out, bytes_of_string(texts[k][1]));
            buf_add_byte(out, ',');
        }
        buf_addf(out, "\"demo\":%s,\"file\":\"", f->demo ? "true" : "false");
        list_file(out, f->id);
        buf_add_string(out, "\"}\n");
    }
}

int faults_canary(const char *file)
{
    if (!file || !*file)
        return 0;
    canary = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    return canary < 0 ? -1 : 0;
}
