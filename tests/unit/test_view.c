/* The live view: it fits any terminal, whatever the figures are and whatever a target says. */
#include <stdio.h>

#include "cli/view.h"
#include "unit.h"

static struct figures f;
static struct buf out;

static void set_up(void)
{
    static const char *const primitives[] = {"encoding", "path", "process", "persistence"};
    f = (struct figures){.verb = "fuzz", .target = "demo", .identity = "mcp \x1b[2J\xf0\x9f\x92\xa9 a server with a name that does not end, as some have, and more",
                         .elapsed_ms = 45296000, .executions = 1234567, .passed = 1000000, .failed = 200000, .skipped = 34567,
                         .generated = 800000, .mutated = 334567, .spliced = 100000, .rate = 12345.6, .rate_mean = 11111.1, .calls = 99999999, .call_rate = 123456,
                         .features = 123456, .corpus = 23456, .last_feature_ms = 45290000, .last_finding_ms = 45200000, .workers = 2, .stability = 0.98};
    snprintf(f.last_title, sizeof f.last_title, "download succeeds, but its reply is \x1b]0;evil\x07 cut at the first NUL");
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        for (size_t k = 0; k <= i; k++)
            figures_finding(&f, &(struct fail_case){.state = FINDING_CONFIRMED, .layer = i % 2 ? "sandbox" : "interface", .primitive = primitives[i]});
    for (int kind = FIGURES_DOMAIN; kind < FIGURES_KINDS; kind++) {
        f.yields[kind].count = 9;
        f.yields[kind].items = xcalloc(9, sizeof(struct figures_yield));
        for (int i = 0; i < 9; i++) {
            struct figures_yield *y = &f.yields[kind].items[i];
            *y = (struct figures_yield){.tried = 1000 * (9 - i), .won = 90 - i, .ns = 1000000000};
            snprintf(y->name, sizeof y->name, "%s-%d-with-a-long-name", figures_kind_name((enum figures_kind)kind), i);
        }
    }
    buf_init(&out, 1 << 20);
}

static void tear_down(void)
{
    figures_release(&f);
    buf_release(&out);
}

static void check_fits(unsigned columns, unsigned rows)
{
    buf_clear(&out);
    unsigned lines = view_compose(&f, columns, rows, &out), seen = 0, at = 0;
    for (size_t i = 0; i < out.len; i++) {
        if (out.data[i] == '\n') {
            seen++;
            at = 0;
            continue;
        }
        at++;
        ck_assert_msg(out.data[i] >= 32 && out.data[i] < 127, "%u x %u: byte %02x", columns, rows, out.data[i]);
        ck_assert_msg(at < columns, "%u x %u: a line of %u: %s", columns, rows, at, buf_string(&out));
    }
    ck_assert_uint_eq(seen, lines);
    ck_assert_msg(lines >= 1 && (lines == 1 || lines * 3 <= rows * 2), "%u x %u: %u lines", columns, rows, lines);
}

START_TEST(fits)
{
    for (unsigned columns = 1; columns < 140; columns++)
        for (unsigned rows = 1; rows < 40; rows += 3)
            check_fits(columns, rows);
    check_fits(80, 24);
    check_fits(1000, 300);
    for (int kind = 0; kind < FIGURES_KINDS; kind++)
        f.yields[kind].count = 0;
    figures_findings_clear(&f);
    f.last_feature_ms = f.last_finding_ms = -1;
    f.executions = f.passed = f.failed = f.skipped = f.generated = f.mutated = f.elapsed_ms = 0;
    check_fits(80, 24);
    check_fits(20, 6);
}
END_TEST

START_TEST(says)
{
    static const char *const words[] = {
        " 12:34:56\n", "1234567, 12345.6/s now", "passed 81%  failed 16%  skipped 3%  workers 2", "templates 65%  mutation 27%  splicing 8%",
        "123456, the last 0:00:06 ago  corpus 23456  stable 98%", "10 confirmed  0 flaky", "sandbox 6  interface 4  undecided 0",
        "persistence 4  process 3  path 2  encoding 1", "0:01:36 ago  download succeeds", "domain-0-with-a-lon   9000   90  90.00",
        "mutator-4-with-a-lo   5000   86  86.00",
    };
    check_fits(100, 40);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_msg(strstr(buf_string(&out), words[i]) != NULL, "%s is missing in\n%s", words[i], buf_string(&out));
    ck_assert_ptr_null(strstr(buf_string(&out), "domain-5"));
    /* What matters most stays when there is little room. */
    check_fits(80, 6);
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "12:34:56"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "1234567"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "10 confirmed"));
    ck_assert_ptr_null(strstr(buf_string(&out), "domain-0"));
}
END_TEST

START_TEST(times)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {{-1, "-"}, {0, "0:00:00"}, {999, "0:00:00"}, {61000, "0:01:01"}, {86399999, "23:59:59"}, {90061000, "1 d 1:01:01"},
                {INT64_MAX, "106751991167 d 7:12:55"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        view_time(rows[i].ms, text);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

START_TEST(page)
{
    f.identity = "<script>alert(1)</script>&";
    view_page(&f, 110, 48, &out);
    ck_assert_ptr_null(strstr(buf_string(&out), "<script>"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "&#60;script&#62;alert(1)&#60;/script&#62;&#38;"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "10 confirmed"));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, fits);
    tcase_add_test(tests, says);
    tcase_add_test(tests, times);
    tcase_add_test(tests, page);
}

int main(void)
{
    return unit_main("view", fill);
}
