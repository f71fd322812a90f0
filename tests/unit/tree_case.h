/* Logs as text for tests of edits: one entry a line, indented by how deep it stands, as "kind@line value"
 * with the line of the test domain that its site stands in; where several sites of a kind stand in one line,
 * "kind@line/n" is the n-th, from 0. */
#ifndef TESTS_UNIT_TREE_CASE_H
#define TESTS_UNIT_TREE_CASE_H

#include "grammar/site.h"
#include "plan_case.h"

#define TREE_DATA TASKGEN_SOURCE_DIR "/tests/data/tree"

static const char *const tree_kinds[SITE_KINDS] = {
    [SITE_WORKFLOW] = "workflow",
    [SITE_SWARM] = "swarm",
    [SITE_ROOM] = "room",
    [SITE_ONE_OF] = "one-of",
    [SITE_ROUND] = "round",
    [SITE_OPTIONAL] = "optional",
    [SITE_DO] = "do",
    [SITE_WALK] = "walk",
    [SITE_PRODUCE] = "produce",
    [SITE_HANDLE] = "handle",
    [SITE_VALUE] = "value",
    [SITE_ALTERNATIVE] = "alternative",
    [SITE_COUNT] = "count",
    [SITE_LETTER] = "letter",
    [SITE_NUMBER] = "number",
};

static inline unsigned tree_line(const struct site *site)
{
    const char *colon = site->place ? strrchr(site->place, ':') : NULL;
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* Which of the sites of its kind and line it is. */
static inline unsigned tree_rank(const struct domain *d, uint32_t number)
{
    struct site site, other;
    unsigned rank = 0;
    ck_assert(domain_site(d, number, &site));
    for (uint32_t i = 0; i < number; i++)
        if (domain_site(d, i, &other) && other.kind == site.kind && tree_line(&other) == tree_line(&site))
            rank++;
    return rank;
}

static inline void tree_print(const struct domain *d, const struct derivation *log, struct buf *out)
{
    size_t open[256], depth = 0;
    for (size_t i = 0; i < log->count; i++) {
        struct site site;
        while (depth && log->items[open[depth - 1]].end <= i)
            depth--;
        ck_assert_uint_lt(depth, 256);
        ck_assert(domain_site(d, log->items[i].site, &site));
        unsigned rank = tree_rank(d, log->items[i].site);
        buf_addf(out, "%*s%s@%u", (int)depth * 2, "", tree_kinds[site.kind], tree_line(&site));
        if (rank)
            buf_addf(out, "/%u", rank);
        buf_addf(out, " %llu\n", (unsigned long long)log->items[i].value);
        open[depth++] = i;
    }
}

static inline uint32_t tree_find_site(const struct domain *d, const char *kind, unsigned line, unsigned rank)
{
    struct site site;
    for (uint32_t i = 0; domain_site(d, i, &site); i++)
        if (strcmp(tree_kinds[site.kind], kind) == 0 && tree_line(&site) == line && rank-- == 0)
            return i;
    ck_abort_msg("no site %s@%u", kind, line);
    return 0;
}

/* Reads what tree_print wrote, up to a line that is no entry; returns where that starts. */
static inline const char *tree_read(const struct domain *d, const char *text, struct derivation *log)
{
    size_t open[256], depth = 0;
    static struct choice items[4096];
    log->count = 0;
    for (;;) {
        size_t spaces = strspn(text, " ");
        char kind[32];
        unsigned line, rank = 0;
        unsigned long long value;
        bool ranked = sscanf(text + spaces, "%31[a-z-]@%u/%u %llu", kind, &line, &rank, &value) == 4;
        if (!ranked && (rank = 0, sscanf(text + spaces, "%31[a-z-]@%u %llu", kind, &line, &value) != 3))
            break;
        while (depth > spaces / 2)
            items[open[--depth]].end = (uint32_t)log->count;
        ck_assert_uint_lt(log->count, 4096);
        items[log->count] = (struct choice){.site = tree_find_site(d, kind, line, rank), .value = value};
        open[depth++] = log->count++;
        text = strchr(text, '\n') + 1;
    }
    while (depth)
        items[open[--depth]].end = (uint32_t)log->count;
    struct derivation made = {.items = items, .count = log->count, .capacity = 4096};
    derivation_copy(log, &made);
    return text;
}

/* Every subtree lies within the one it stands in. */
static inline void tree_check_nested(const struct derivation *log)
{
    size_t open[4096], depth = 0;
    for (size_t i = 0; i < log->count; i++) {
        while (depth && log->items[open[depth - 1]].end <= i)
            depth--;
        size_t limit = depth ? log->items[open[depth - 1]].end : log->count;
        ck_assert_msg(log->items[i].end > i && log->items[i].end <= limit, "entry %zu ends at %u of %zu", i,
                      log->items[i].end, limit);
        ck_assert_uint_lt(depth, 4096);
        open[depth++] = i;
    }
}

#endif
