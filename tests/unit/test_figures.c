/* Figures: what is taken, and that each way to print them holds what its readers need. */
#include <stdio.h>

#include "base/fs.h"
#include "base/json.h"
#include "cli/figures.h"
#include "corpus/store.h"
#include "unit.h"

static struct figures f;
static struct buf text;

static void set_up(void)
{
    f = (struct figures){.verb = "fuzz",
                         .command = "taskgen fuzz --target demo",
                         .db = "/nonexistent.db",
                         .target = "exec:sh -c '\"$@\"'",
                         .identity = "mcp \x1b[31m \xff name\nstate : done",
                         .run = 3,
                         .start_ms = 1700000000123,
                         .last_feature_ms = -1,
                         .last_finding_ms = -1};
    buf_init(&text, 1 << 20);
}

static void tear_down(void)
{
    figures_release(&f);
    buf_release(&text);
}

static const struct fail_case cases[] = {
    {.state = FINDING_CONFIRMED, .layer = "sandbox", .primitive = "path"},
    {.state = FINDING_FLAKY, .layer = "interface", .primitive = "encoding", .client_illegal = true},
    {.state = FINDING_REGRESSED, .layer = "undecided", .primitive = "browser", .note = true},
    {.state = FINDING_UNCONFIRMED, .layer = "sandbox", .primitive = "path"},
    {.state = FINDING_CONFIRMED, .layer = "sandbox", .primitive = "path", .suppressed = true},
    {.state = FINDING_NEW, .layer = "sandbox", .primitive = "time"},
};

static void take_all(void)
{
    const struct loop_progress p = {.elapsed_ms = 4000, .executions = 100, .executed = 90, .passed = 60, .failed = 30, .skipped = 7,
                                    .harness = 3, .given = 1, .generated = 59, .mutated = 35, .spliced = 5, .calls = 500, .features = 44, .corpus = 11, .again = 6,
                                    .last_feature_ms = 3500, .last_finding_ms = 1250, .rate = 20, .call_rate = 80.5,
                                    .last_title = "a \"title\" \\ of <one>"};
    figures_progress(&f, &p);
    for (int twice = 0; twice < 2; twice++) {
        figures_findings_clear(&f);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            figures_finding(&f, &cases[i]);
    }
    f.workers = 2;
    f.stability = 0.75;
}

START_TEST(taken)
{
    take_all();
    ck_assert(f.rate_mean == 25 && f.call_rate_mean == 125);
    ck_assert(f.findings == 3 && f.confirmed == 1 && f.flaky == 1 && f.regressed == 1 && f.unconfirmed == 1);
    ck_assert(f.sandbox == 1 && f.interface == 1 && f.undecided == 1);
    ck_assert(f.notes == 1 && f.client_illegal == 1 && f.suppressed == 1);
    figures_sizes(&f);
    ck_assert(f.memory > 100000 && f.database == 0);
}
END_TEST

static const struct figures_yield *yield(enum figures_kind kind, const char *name)
{
    for (size_t i = 0; i < f.yields[kind].count; i++)
        if (!strcmp(f.yields[kind].items[i].name, name))
            return &f.yields[kind].items[i];
    return NULL;
}

/* Those of this run alone: the counters of the database are of all runs. */
START_TEST(yields)
{
    struct settings settings;
    struct store *store;
    struct error *err = NULL;
    char *directory = fs_fresh_dir("test-figures", NULL), path[256];
    snprintf(path, sizeof path, "%s/t.db", directory);
    settings_defaults(&settings);
    ck_assert_msg(store_open(path, STORE_WRITE, &settings, &store, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(store_count(store, "domain", "ml", 5, 3, 1000, NULL), 0);
    ck_assert_int_eq(store_count(store, "domain", "data", 2, 2, 1000, NULL), 0);
    figures_yields_begin(&f, store);
    figures_yields_take(&f, store);
    ck_assert_uint_eq(f.yields[FIGURES_DOMAIN].count, 0);
    ck_assert_int_eq(store_count(store, "domain", "ml", 4, 1, 1000, NULL), 0);
    ck_assert_int_eq(store_count(store, "domain", "perf", 1, 1, 1000, NULL), 0);
    ck_assert_int_eq(store_count(store, "mutator", "encoding", 9, 2, 1000, NULL), 0);
    figures_yields_take(&f, store);
    figures_yields_take(&f, store);
    ck_assert_uint_eq(f.yields[FIGURES_DOMAIN].count, 2);
    ck_assert(yield(FIGURES_DOMAIN, "ml")->tried == 4 && yield(FIGURES_DOMAIN, "ml")->won == 1 && yield(FIGURES_DOMAIN, "ml")->ns == 1000);
    ck_assert(yield(FIGURES_DOMAIN, "perf")->tried == 1 && !yield(FIGURES_DOMAIN, "data"));
    ck_assert(yield(FIGURES_MUTATOR, "encoding")->won == 2);
    f.db = path;
    figures_sizes(&f);
    ck_assert(f.database > 4096);
    store_close(store);
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
}
END_TEST

static void give_yields(void)
{
    static const struct figures_yield items[] = {{"ml", 10, 4, 2000000000}, {"odd \"\\\n\xff", 3, 0, 0}};
    f.yields[FIGURES_DOMAIN].items = xcalloc(2, sizeof *items);
    memcpy(f.yields[FIGURES_DOMAIN].items, items, sizeof items);
    f.yields[FIGURES_DOMAIN].count = 2;
}

/* "key : value", one line each whatever a target calls itself; every row once. */
START_TEST(stats)
{
    take_all();
    give_yields();
    figures_stats(&f, &text);
    const struct figure_row *row;
    size_t lines = 0;
    for (const char *at = buf_string(&text); *at; at = strchr(at, '\n') + 1, lines++) {
        ck_assert_ptr_nonnull(strchr(at, '\n'));
        ck_assert_msg(strstr(at, " : ") && strstr(at, " : ") < strchr(at, '\n'), "%.40s", at);
        for (const char *c = at; *c != '\n'; c++)
            ck_assert_msg((unsigned char)*c >= 32 && *c != 127, "a control character in %.40s", at);
    }
    for (size_t i = 0; (row = figure_row_at(i)); i++) {
        char key[64];
        snprintf(key, sizeof key, "\n%-18s : ", row->name);
        const char *at = strstr(buf_string(&text), key);
        ck_assert_msg(at && !strstr(at + 1, key), "%s", row->name);
        ck_assert_msg(strtod(at + strlen(key), NULL) == figure_value(&f, row), "%s: %.20s", row->name, at);
    }
    ck_assert_ptr_nonnull(strstr(buf_string(&text), "\nfinding.sandbox.path.confirmed : 1\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&text), "\ndomain.ml : 10 tried, 4 won, 2.000 s\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&text), "\nstate              : running\n"));
    ck_assert_ptr_null(strstr(buf_string(&text), "\nstate : done"));
}
END_TEST

static size_t commas(const char *line)
{
    size_t n = 0;
    for (; *line && *line != '\n'; line++)
        n += *line == ',';
    return n;
}

START_TEST(series)
{
    take_all();
    figures_series_header(&text);
    size_t columns = commas(buf_string(&text));
    ck_assert_uint_gt(columns, 20);
    ck_assert_ptr_eq(strchr(buf_string(&text), '\n') + 1, buf_string(&text) + text.len);
    buf_clear(&text);
    figures_series_row(&f, &text);
    ck_assert_uint_eq(commas(buf_string(&text)), columns);
    ck_assert_uint_eq(strspn(buf_string(&text), "0123456789.,-\n"), text.len);
    ck_assert_ptr_nonnull(strstr(buf_string(&text), ",3,4000,100,90,60,30,7,3,1,59,35,5,500,20.000,25.000,80.500,125.000,44,11,0.750,6,3500,1250,"));
}
END_TEST

/* tests/e2e/watch.sh hands the whole to a parser of others. */
START_TEST(metrics)
{
    f.executions = 12;
    f.rate = 0.25;
    f.elapsed_ms = 1500;
    give_yields();
    figures_metrics(&f, &text);
    static const char *const lines[] = {
        "# TYPE taskgen_executions_total counter\ntaskgen_executions_total 12\n",
        "# TYPE taskgen_rate gauge\ntaskgen_rate 0.25\n",
        "\ntaskgen_elapsed_seconds 1.5\n",
        "\ntaskgen_domain_won_total{domain=\"ml\"} 4\n",
        "\ntaskgen_domain_seconds_total{domain=\"ml\"} 2\n",
        "\ntaskgen_domain_tried_total{domain=\"odd \\\"\\\\\\\\x0a\\\\xff\"} 3\n",
        ",target=\"exec:sh -c '\\\"$@\\\"'\",identity=\"mcp \\\\x1b[31m \\\\xff name\\\\x0astate : done\"} 1\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(buf_string(&text), lines[i]) != NULL, "%s is missing in\n%s", lines[i], buf_string(&text));
    ck_assert_ptr_null(strstr(buf_string(&text), "taskgen_last_finding"));
    ck_assert_ptr_null(strstr(buf_string(&text), "taskgen_confirmed"));
    f.last_finding_ms = 500;
    figures_finding(&f, &cases[0]);
    buf_clear(&text);
    figures_metrics(&f, &text);
    ck_assert_ptr_nonnull(strstr(buf_string(&text), "\ntaskgen_last_finding_seconds 0.5\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&text), "\ntaskgen_findings{layer=\"sandbox\",primitive=\"path\",state=\"confirmed\"} 1\n"));
}
END_TEST

START_TEST(event)
{
    struct arena a;
    int64_t value = 0;
    arena_init(&a);
    take_all();
    f.yields[FIGURES_MUTATOR].count = FIGURES_BEST + 2;
    f.yields[FIGURES_MUTATOR].items = xcalloc(FIGURES_BEST + 2, sizeof(struct figures_yield));
    for (int all = 0; all < 2; all++) {
        struct json *object = json_new(&a, JSON_OBJECT);
        figures_event(&f, all, &a, object);
        ck_assert(json_as_integer(json_get(object, "executions"), &value) && value == 100);
        ck_assert(json_as_integer(json_get(json_at(json_get(object, "by_kind"), 0), "count"), &value) && value == 1);
        ck_assert(!json_at(json_get(object, "by_kind"), 5) && json_at(json_get(object, "by_kind"), 4));
        ck_assert((json_at(json_get(object, "mutators"), FIGURES_BEST) != NULL) == all);
        json_write(&text, object, JSON_COMPACT);
        ck_assert_int_eq(json_read(&a, buf_bytes(&text), NULL, "event", &object, NULL, NULL), 0);
        buf_clear(&text);
    }
    arena_release(&a);
}
END_TEST

/* docs/events.md has each row, in its order and words. */
START_TEST(documented)
{
    const struct figure_row *row;
    ck_assert_int_eq(fs_read(TASKGEN_SOURCE_DIR "/docs/events.md", 1 << 20, &text, NULL), 0);
    const char *at = buf_string(&text);
    for (size_t i = 0; (row = figure_row_at(i)); i++) {
        char line[256];
        snprintf(line, sizeof line, "| `%s` | %s |\n", row->name, row->help);
        at = strstr(at, line);
        ck_assert_msg(at != NULL, "docs/events.md lacks, in this order: %s", line);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, taken);
    tcase_add_test(tests, yields);
    tcase_add_test(tests, stats);
    tcase_add_test(tests, series);
    tcase_add_test(tests, metrics);
    tcase_add_test(tests, event);
    tcase_add_test(tests, documented);
}

int main(void)
{
    return unit_main("figures", fill);
}
