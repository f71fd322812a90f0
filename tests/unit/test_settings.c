/* base/settings: the table's own order and sanity, every way to write a value, and INI files with their line
 * numbers. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/settings.h"
#include "unit.h"

static struct settings settings;
static char *directory;
static char file[512];

static void set_up(void)
{
    settings_defaults(&settings);
    directory = fs_fresh_dir("taskgen-settings", NULL);
    snprintf(file, sizeof file, "%s/test.ini", directory);
}

static void tear_down(void)
{
    fs_remove_tree(directory, NULL);
    free(directory);
}

static bool known_unit(const char *unit)
{
    static const char *const units[] = {"ms", "bytes", "count", "ratio", "flag"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

START_TEST(table)
{
    size_t count = 0;
    const struct setting_row *rows = settings_table(&count);
    ck_assert_uint_gt(count, 25);
    for (size_t i = 0; i < count; i++) {
        const struct setting_row *row = &rows[i];
        ck_assert_msg(i == 0 || strcmp(rows[i - 1].name, row->name) < 0, "%s is out of order", row->name);
        ck_assert_msg(row->low <= row->value && row->value <= row->high, "%s", row->name);
        ck_assert_msg(known_unit(row->unit), "%s", row->name);
        ck_assert_msg(strchr(row->name, '.') && row->help[0] && !strchr(row->help, '\n'), "%s", row->name);
        ck_assert_msg(strlen(row->help) < 80, "%s", row->name);
        ck_assert(settings_real(&settings, row->name) == row->value);
    }
    ck_assert_int_eq(settings_int(&settings, "exec.step-timeout"), 10000);
    ck_assert_int_eq(settings_int(&settings, "budget.memory"), INT64_C(2) << 30);
    ck_assert(settings_real(&settings, "loop.mutate-share") == 0.2);
    ck_assert(settings_flag(&settings, "confirm.runs"));
    ck_assert(!settings_flag(&settings, "budget.rate"));
}
END_TEST

static const struct {
    const char *name, *text;
    double expected;
} good[] = {
    {"budget.bytes", "4096", 4096},
    {"budget.bytes", "64K", 65536},
    {"budget.bytes", "1.5M", 1572864},
    {"budget.bytes", "2G", 2147483648.0},
    {"exec.step-timeout", "250", 250},
    {"exec.step-timeout", "250ms", 250},
    {"exec.step-timeout", "2.5s", 2500},
    {"exec.step-timeout", "3m", 180000},
    {"exec.step-timeout", "1h", 3600000},
    {"budget.calls", "1", 1},
    {"loop.mutate-share", "0", 0},
    {"loop.mutate-share", "1", 1},
    {"loop.mutate-share", "0.125", 0.125},
};

START_TEST(good_values)
{
    struct error *err = NULL;
    int status = settings_set(&settings, good[_i].name, good[_i].text, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    ck_assert(settings_real(&settings, good[_i].name) == good[_i].expected);
}
END_TEST

static const struct {
    const char *name, *text, *message;
} bad[] = {
    {"exec.steptimeout", "1", "there is no setting 'exec.steptimeout'"},
    {"", "1", "there is no setting ''"},
    {"exec", "1", "there is no setting 'exec'"},
    {"exec.step-timeout", "",
     "setting 'exec.step-timeout' is '', expected a time like 500, 500ms, 10s, 5m or 1h"},
    {"exec.step-timeout", "1d",
     "setting 'exec.step-timeout' is '1d', expected a time like 500, 500ms, 10s, 5m or 1h"},
    {"exec.step-timeout", "1 s",
     "setting 'exec.step-timeout' is '1 s', expected a time like 500, 500ms, 10s, 5m or 1h"},
    {"exec.step-timeout", "0", "setting 'exec.step-timeout' is '0', expected 1ms to 24h"},
    {"exec.step-timeout", "25h", "setting 'exec.step-timeout' is '25h', expected 1ms to 24h"},
    {"exec.step-timeout", "0.5ms",
     "setting 'exec.step-timeout' is '0.5ms', expected a time like 500, 500ms, 10s, 5m or 1h"},
    {"budget.bytes", "64k", "setting 'budget.bytes' is '64k', expected a size like 4096, 64K, 1.5M or 2G"},
    {"budget.bytes", "64KB", "setting 'budget.bytes' is '64KB', expected a size like 4096, 64K, 1.5M or 2G"},
    {"budget.bytes", "0x10", "setting 'budget.bytes' is '0x10', expected a size like 4096, 64K, 1.5M or 2G"},
    {"budget.bytes", "1e6", "setting 'budget.bytes' is '1e6', expected a size like 4096, 64K, 1.5M or 2G"},
    {"budget.bytes", "inf", "setting 'budget.bytes' is 'inf', expected a size like 4096, 64K, 1.5M or 2G"},
    {"budget.disk", "1K", "setting 'budget.disk' is '1K', expected 1M to 1024G"},
    {"budget.calls", "-1", "setting 'budget.calls' is '-1', expected a whole number"},
    {"budget.calls", "+1", "setting 'budget.calls' is '+1', expected a whole number"},
    {"budget.calls", "1.5", "setting 'budget.calls' is '1.5', expected a whole number"},
    {"budget.calls", "10s", "setting 'budget.calls' is '10s', expected a whole number"},
    {"budget.calls", "99999999999999999999999",
     "setting 'budget.calls' is '99999999999999999999999', expected 1 to 1000000000000"},
    {"loop.mutate-share", "1.01", "setting 'loop.mutate-share' is '1.01', expected 0 to 1"},
    {"loop.mutate-share", ".5", "setting 'loop.mutate-share' is '.5', expected a number from 0 to 1"},
    {"loop.mutate-share", "5.", "setting 'loop.mutate-share' is '5.', expected a number from 0 to 1"},
    {"loop.mutate-share", "30%", "setting 'loop.mutate-share' is '30%', expected a number from 0 to 1"},
    {"loop.mutate-share", "nan", "setting 'loop.mutate-share' is 'nan', expected a number from 0 to 1"},
};

START_TEST(bad_values)
{
    struct error *err = NULL;
    struct settings before = settings;
    ck_assert_int_eq(settings_set(&settings, bad[_i].name, bad[_i].text, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, bad[_i].message);
    error_free(err);
    ck_assert_mem_eq(&before, &settings, sizeof settings);
}
END_TEST

START_TEST(unknown_name_aborts)
{
    tear_down(); /* which an abort would leave out */
    settings_real(&settings, "exec.no-such");
}
END_TEST

START_TEST(as_json)
{
    struct arena arena;
    struct buf text;
    struct json *value = NULL;
    arena_init(&arena);
    buf_init(&text, 1 << 16);
    settings_json(&settings, &text);
    ck_assert_int_eq(json_read(&arena, buf_bytes(&text), NULL, "settings", &value, NULL, NULL), 0);
    size_t count = 0;
    const struct setting_row *rows = settings_table(&count);
    ck_assert_uint_eq(value->count, count);
    for (size_t i = 0; i < count; i++) {
        double number = -1;
        ck_assert(json_as_real(json_get(value, rows[i].name), &number));
        ck_assert(number == rows[i].value);
    }
    struct buf sorted;
    buf_init(&sorted, 1 << 16);
    json_write(&sorted, value, JSON_SORTED);
    ck_assert(bytes_equal(buf_bytes(&text), buf_bytes(&sorted)));
    ck_assert_int_ge(bytes_find(buf_bytes(&text), BYTES_LITERAL("\"exec.step-timeout\":10000,"), 0), 0);
    buf_release(&sorted);
    buf_release(&text);
    arena_release(&arena);
}
END_TEST

static int load(struct bytes text, struct error **err)
{
    ck_assert_int_eq(fs_write(file, text, NULL), 0);
    return settings_load(&settings, file, err);
}

START_TEST(good_file)
{
    struct error *err = NULL;
    int status = load(BYTES_LITERAL("\xEF\xBB\xBF; a comment\n"
                                    "# another\n"
                                    "\n"
                                    "exec.grace = 1s\r\n" /* in front of any section: the whole name */
                                    "[exec]\r\n"
                                    "step-timeout = 20s ; behind a value\n"
                                    "   start-timeout=30s\n" /* indented lines are like any other */
                                    "\tmax-line: 1M\n"
                                    "[budget]\n"
                                    "calls=7"),
                      &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(settings_int(&settings, "exec.grace"), 1000);
    ck_assert_int_eq(settings_int(&settings, "exec.step-timeout"), 20000);
    ck_assert_int_eq(settings_int(&settings, "exec.start-timeout"), 30000);
    ck_assert_int_eq(settings_int(&settings, "exec.max-line"), 1 << 20);
    ck_assert_int_eq(settings_int(&settings, "budget.calls"), 7);
    ck_assert_int_eq(settings_int(&settings, "budget.tabs"), 300);
}
END_TEST

static const struct {
    struct bytes text;
    const char *message; /* behind "FILE:" */
} bad_files[] = {
    {BYTES_LITERAL("[exec]\n\nstep-timeout = soon\n"),
     "3: setting 'exec.step-timeout' is 'soon', expected a time like 500, 500ms, 10s, 5m or 1h"},
    {BYTES_LITERAL("[exec]\ngrace = 1s\nno-such = 1\n"), "3: there is no setting 'exec.no-such'"},
    {BYTES_LITERAL("[nowhere]\ngrace = 1s\n"), "2: there is no setting 'nowhere.grace'"},
    {BYTES_LITERAL("[exec\ngrace = 1s\n"), "1: expected [section] or key = value"},
    {BYTES_LITERAL("[exec]\ngrace = 1s\nnonsense\nno-such = 1\n"), "3: expected [section] or key = value"},
    {BYTES_LITERAL("[exec]\ngrace = 1s\n  2s\n"), "3: expected [section] or key = value"},
    {BYTES_LITERAL("[exec]\ngrace =\n"),
     "2: setting 'exec.grace' is '', expected a time like 500, 500ms, 10s, 5m or 1h"},
    {BYTES_LITERAL("[exec]\ngrace = 1\0s\n"), "2: a NUL byte, expected text"},
};

START_TEST(bad_file)
{
    struct error *err = NULL;
    struct settings before = settings;
    ck_assert_int_eq(load(bad_files[_i].text, &err), ERR_INPUT);
    ck_assert_msg(strncmp(err->text, file, strlen(file)) == 0, "%s", err->text);
    ck_assert_str_eq(err->text + strlen(file) + 1, bad_files[_i].message);
    error_free(err);
    ck_assert_mem_eq(&before, &settings, sizeof settings); /* all of a file or nothing */
    ck_assert_int_eq(load(bad_files[_i].text, NULL), ERR_INPUT);
}
END_TEST

START_TEST(long_lines)
{
    struct buf text;
    struct error *err = NULL;
    buf_init(&text, 1 << 20);
    buf_add_string(&text, "[exec]\n; ");
    for (int i = 0; i < 1000; i++)
        buf_add_string(&text, "x");
    buf_add_string(&text, "\ngrace = 1s\n");
    ck_assert_int_eq(load(buf_bytes(&text), &err), 0); /* a comment */
    for (int i = 0; i < 1000; i++)
        buf_add_string(&text, "y");
    ck_assert_int_eq(load(buf_bytes(&text), &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, ":4: a line of 1000 bytes, expected at most "));
    error_free(err);
    buf_release(&text);
}
END_TEST

START_TEST(missing_file)
{
    struct error *err = NULL;
    ck_assert_int_eq(settings_load(&settings, "/nonexistent/taskgen.ini", &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "cannot read '/nonexistent/taskgen.ini': No such file or directory");
    error_free(err);
    ck_assert_int_eq(load(BYTES_NONE, NULL), 0); /* an empty one is fine */
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, table);
    tcase_add_loop_test(tests, good_values, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(tests, bad_values, 0, sizeof bad / sizeof *bad);
    tcase_add_test_raise_signal(tests, unknown_name_aborts, SIGABRT);
    tcase_add_test(tests, as_json);
    tcase_add_test(tests, good_file);
    tcase_add_loop_test(tests, bad_file, 0, sizeof bad_files / sizeof *bad_files);
    tcase_add_test(tests, long_lines);
    tcase_add_test(tests, missing_file);
}

int main(void)
{
    return unit_main("settings", fill);
}
