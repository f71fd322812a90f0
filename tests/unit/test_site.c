/* grammar/site: every entry of every derivation has a site that describes it: what kind of choice, how many
 * possibilities, where it stands; and the repetitions of a count can be told apart by its width. */
#include <glob.h>

#include "grammar/grammar_internal.h"
#include "grammar/plan.h"
#include "grammar/site.h"
#include "plan_case.h"

enum { TASKS = 2000, TEXTS = 4000 };

static size_t seen[SITE_KINDS];

/* Entries directly below an entry. */
static size_t children_of(const struct derivation *d, size_t entry)
{
    size_t count = 0;
    for (size_t at = entry + 1; at < d->items[entry].end; at = d->items[at].end)
        count++;
    return count;
}

/* One entry against its site. A round or a step of a walk that says stop, or an optional that is left out,
 * has nothing below it. */
static void check_entry(const struct domain *domain, const struct derivation *d, size_t entry)
{
    struct site site;
    const struct choice *c = &d->items[entry];
    ck_assert_msg(domain_site(domain, c->site, &site), "entry %zu has no site %u", entry, c->site);
    seen[site.kind]++;
    ck_assert_msg(site_opens(site.kind) || c->end == entry + 1, "a leaf of %s with children", site.place);
    ck_assert_msg(site.choices == 0 || c->value < site.choices, "%s: value %llu of %llu", site.place,
                  (unsigned long long)c->value, (unsigned long long)site.choices);
    ck_assert(strchr(site.place, ':') && site.name);
    size_t children = children_of(d, entry);
    bool stops = (site.kind == SITE_ROUND && c->value == 1) ||
                 (site.kind == SITE_OPTIONAL && c->value == 0) ||
                 (site.kind == SITE_WALK && c->value == site.choices - 1);
    ck_assert_msg(!stops || children == 0, "%s: a stop with children", site.place);
    ck_assert_msg(site.kind != SITE_COUNT || !site.width || children == (site.least + c->value) * site.width,
                  "%s: %zu children of %llu + %llu repetitions of %u", site.place, children,
                  (unsigned long long)site.least, (unsigned long long)c->value, site.width);
    ck_assert((entry == 0) == (site.kind == SITE_WORKFLOW));
}

static void check_sites(const struct domain *domain)
{
    struct site site;
    struct buf text;
    buf_init(&text, 4096);
    for (uint32_t i = 0; i < domain_site_end(domain); i++) {
        ck_assert_msg(domain_site(domain, i, &site), "no site %u", i);
        ck_assert_msg(site.place && site.name, "%s: site %u is not described", domain_name(domain), i);
        ck_assert(i < domain->site_end || site.kind >= SITE_ALTERNATIVE);
        ck_assert(site.choices == 0 || domain_site_cheapest(domain, i) < site.choices);
        ck_assert(site.kind == SITE_COUNT || site.width == 0);
        domain_site_value(domain, i, domain_site_cheapest(domain, i), &text);
        ck_assert_msg(text.len > 0 && !text.overflow, "%s: a value without a name", site.place);
    }
    ck_assert(!domain_site(domain, domain_site_end(domain), &site));
    buf_release(&text);
}

/* Tasks of all sizes: plenty of room, and so little that only the cheapest is left. */
static void check_domain(const char *file, size_t tasks)
{
    static const char *const rooms[] = {"65536", "65536", "65536", "6000"};
    struct domain *domain = plan_load(file);
    const struct domain *only = domain;
    struct settings settings;
    settings_defaults(&settings);
    struct generate_options options = {&only, 1, NULL, &settings};
    check_sites(domain);
    for (size_t i = 0; i < tasks; i++) {
        struct task *t = NULL;
        struct derivation d;
        ck_assert_int_eq(settings_set(&settings, "generate.max-bytes", rooms[i % 4], NULL), 0);
        if (generate_task(&options, 3, i, &t, NULL) < 0)
            continue;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        for (size_t entry = 0; entry < d.count; entry++)
            check_entry(domain, &d, entry);
        derivation_release(&d);
        task_free(t);
    }
    domain_free(domain);
}

/* Every template that is shipped; files that are included have no workflows. */
START_TEST(entries_of_shipped_domains)
{
    glob_t files;
    size_t domains = 0;
    ck_assert_int_eq(glob(TASKGEN_SOURCE_DIR "/domains/*.xml", 0, NULL, &files), 0);
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *base = strrchr(files.gl_pathv[i], '/') + 1;
        if (strncmp(base, "common", 6) == 0 || strcmp(base, "ops.xml") == 0)
            continue;
        check_domain(files.gl_pathv[i], TASKS / 10);
        domains++;
    }
    globfree(&files);
    ck_assert_uint_ge(domains, 10);
    check_domain(PLAN_DATA "/good/kitchen.xml", TASKS);
    check_domain(PLAN_DATA "/good/roomy.xml", TASKS / 10);
    for (int kind = 0; kind < SITE_KINDS; kind++)
        ck_assert_msg(seen[kind] > 0, "no entry of kind %d", kind);
}
END_TEST

/* --- widths, on the value level alone --- */

static const char widths[] =
    "start = item{0..5};"
    "item = word | pair(word) sep (number | flags) | list | (\"[\" start \"]\") @0.5;"
    "word = /[a-zä]{1,4}/;"
    "number = int(7..1200) | u16le(3..9) | int(5..5);"
    "flags = bits(0..3:2, 1..1:6, 0..9:8);"
    "pair(x) = x ':' hex(x) esc.json(/./) (/[é-ü]/ int(0..9)){2};"
    "list = (pair(word) \",\"){1..3} | (\"x\" | \"yy\")* | int(0..9){2..4 sep (\",\" | \"; \")} | (word{3 "
    "sep \"-\"})+;"
    "sep = /[,;]/;";

/* Children of a count, for every budget from the least to plenty. */
START_TEST(widths_of_counts)
{
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    ck_assert_msg(grammar_add_text(g, bytes_of_string(widths), "w.tg", 1, &err) == 0 &&
                      grammar_compile(g, 100, &err) == 0,
                  "%s", err ? err->text : "");
    size_t counts = 0, apart = 0;
    for (uint64_t i = 0; i < TEXTS; i++) {
        struct rng rng;
        struct derivation log;
        struct chooser chooser;
        struct buf out;
        rng_seed(&rng, 5, i);
        derivation_init(&log);
        chooser_init(&chooser, &rng, NULL, &log);
        buf_init(&out, 1 << 16);
        struct grammar_limits limits = {.max_bytes = i % 100, .max_depth = 1 + i % 7};
        ck_assert_int_eq(grammar_derive(g, grammar_rule(g, BYTES_LITERAL("start")), NULL, 0, &chooser,
                                        &limits, &out, NULL),
                         0);
        for (size_t entry = 0; entry < log.count; entry++) {
            struct site site;
            struct place place;
            grammar_describe_site(g, log.items[entry].site, &site, &place);
            ck_assert(site.choices == 0 || log.items[entry].value < site.choices);
            ck_assert(site_opens(site.kind) || log.items[entry].end == entry + 1);
            if (site.kind != SITE_COUNT)
                continue;
            counts++;
            apart += site.width > 0;
            ck_assert_msg(!site.width ||
                              children_of(&log, entry) == (site.least + log.items[entry].value) * site.width,
                          "line %u column %u", place.line, place.column);
        }
        buf_release(&out);
        derivation_release(&log);
    }
    ck_assert_uint_ge(counts, TEXTS);
    ck_assert_uint_ge(apart, TEXTS / 2);
    ck_assert_uint_lt(apart, counts); /* a separator that chooses, an item that does not */
    grammar_free(g);
}
END_TEST

/* A choice that is written in a rule belongs to that rule, wherever the rule is used from. */
START_TEST(sites_belong_to_rules)
{
    static const char text[] = "a = b | \"x\";\nb = c;\nc = \"1\" |\n \"22\" d;\nd = /[0-9]/{2..5};";
    struct grammar *g = grammar_new();
    ck_assert_int_eq(grammar_add_text(g, bytes_of_string(text), "r.tg", 1, NULL), 0);
    ck_assert_int_eq(grammar_compile(g, 7, NULL), 0);
    static const struct {
        const char *rule;
        enum site_kind kind;
        unsigned line;
        uint64_t choices, least;
        uint32_t width;
    } expected[] = {{"a", SITE_ALTERNATIVE, 1, 2, 0, 0},
                    {"c", SITE_ALTERNATIVE, 3, 2, 0, 0},
                    {"d", SITE_LETTER, 5, 10, 0, 0},
                    {"d", SITE_COUNT, 5, 4, 2, 1}};
    ck_assert_uint_eq(grammar_site_end(g), 7 + 4);
    for (uint32_t i = 0; i < 4; i++) {
        struct site site;
        struct place place;
        grammar_describe_site(g, 7 + i, &site, &place);
        ck_assert_str_eq(site.name, expected[i].rule);
        ck_assert(site.kind == expected[i].kind && place.line == expected[i].line);
        ck_assert(site.choices == expected[i].choices && site.least == expected[i].least);
        ck_assert(site.width == expected[i].width);
    }
    struct buf value;
    buf_init(&value, 1000);
    grammar_site_value(g, 8, 1, &value);
    ck_assert_str_eq(buf_string(&value), "alternative 2 of 2, r.tg:4");
    buf_clear(&value);
    grammar_site_value(g, 8, 0, &value);
    ck_assert_str_eq(buf_string(&value), "alternative 1 of 2, \"1\", r.tg:3");
    buf_clear(&value);
    grammar_site_value(g, 9, 4, &value);
    ck_assert_str_eq(buf_string(&value), "\"4\"");
    buf_clear(&value);
    grammar_site_value(g, 10, 1, &value);
    ck_assert_str_eq(buf_string(&value), "3 times");
    buf_release(&value);
    ck_assert_uint_eq(grammar_site_cheapest(g, 7), 1); /* both take a byte, "x" fewer steps */
    grammar_free(g);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, plan_set_up, plan_tear_down);
    tcase_add_test(tests, entries_of_shipped_domains);
    tcase_add_test(tests, widths_of_counts);
    tcase_add_test(tests, sites_belong_to_rules);
}

int main(void)
{
    return unit_main("site", fill);
}
