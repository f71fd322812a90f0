/* --stats and --series: whole at any time, and a series goes on where it was. */
#include "cli/stats.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fs.h"
#include "unit.h"

static char *directory;
static char file[256], series[256];
static struct figures f;
static struct buf text, header;

static void set_up(void)
{
    directory = fs_fresh_dir("test-stats", NULL);
    snprintf(file, sizeof file, "%s/stats", directory);
    snprintf(series, sizeof series, "%s/series.csv", directory);
    f = (struct figures){.verb = "fuzz", .target = "demo", .identity = "", .run = 1};
    buf_init(&text, 1 << 20);
    buf_init(&header, 1 << 16);
    figures_series_header(&header);
}

static void tear_down(void)
{
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
    buf_release(&text);
    buf_release(&header);
}

static struct stats opened(void)
{
    struct stats s;
    struct error *err = NULL;
    ck_assert_msg(stats_open(&s, file, series, 5000, &err) == 0, "%s", err ? err->text : "");
    return s;
}

static void read_back(const char *path)
{
    buf_clear(&text);
    ck_assert_int_eq(fs_read(path, 1 << 20, &text, NULL), 0);
}

static size_t lines(void)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += text.data[i] == '\n';
    return n;
}

START_TEST(goes_on)
{
    for (int run = 1; run <= 3; run++) {
        struct stats s = opened();
        f.run = run;
        f.elapsed_ms = 100;
        ck_assert(stats_due(&s, 0));
        ck_assert_int_eq(stats_write(&s, &f, NULL), 0);
        ck_assert(!stats_due(&s, 5099) && stats_due(&s, 5100));
        f.elapsed_ms = 5100;
        ck_assert_int_eq(stats_write(&s, &f, NULL), 0);
        ck_assert(!stats_due(&s, 10099));
        stats_close(&s);
        read_back(series);
        ck_assert_uint_eq(lines(), 1 + 2 * (size_t)run);
        ck_assert(!memcmp(text.data, header.data, header.len));
        ck_assert_int_eq(bytes_find(buf_bytes(&text), buf_bytes(&header), 1), -1);
        read_back(file);
        ck_assert_ptr_nonnull(strstr(buf_string(&text), "\nelapsed_ms         : 5100\n"));
        ck_assert_ptr_null(strstr(buf_string(&text), "elapsed_ms         : 100\n"));
    }
}
END_TEST

/* What a power cut left of a row is not kept, and nothing else is lost. */
START_TEST(torn_row)
{
    struct stats s = opened();
    ck_assert_int_eq(stats_write(&s, &f, NULL), 0);
    stats_close(&s);
    read_back(series);
    size_t whole = text.len;
    buf_add_string(&text, "1700000000000,1,12");
    ck_assert_int_eq(fs_write(series, buf_bytes(&text), NULL), 0);
    s = opened();
    read_back(series);
    ck_assert_uint_eq(text.len, whole);
    ck_assert_int_eq(stats_write(&s, &f, NULL), 0);
    stats_close(&s);
    read_back(series);
    ck_assert_uint_eq(lines(), 3);
    /* A header that was torn is written anew. */
    ck_assert_int_eq(fs_write(series, bytes_slice(buf_bytes(&header), 0, 20), NULL), 0);
    s = opened();
    stats_close(&s);
    read_back(series);
    ck_assert(bytes_equal(buf_bytes(&text), buf_bytes(&header)));
}
END_TEST

START_TEST(refused)
{
    struct stats s;
    struct error *err = NULL;
    ck_assert_int_eq(fs_write(series, BYTES_LITERAL("time,tasks\n1,2\n"), NULL), 0);
    ck_assert_int_eq(stats_open(&s, NULL, series, 5000, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "series.csv: found a file with other columns"));
    stats_close(&s);
    error_free(err);
    err = NULL;
    read_back(series);
    ASSERT_BYTES(buf_bytes(&text), "time,tasks\n1,2\n");
    ck_assert_int_eq(stats_open(&s, NULL, "/nonexistent/series.csv", 5000, &err), ERR_OUTPUT);
    stats_close(&s);
    error_free(err);
    err = NULL;
    ck_assert_int_eq(stats_open(&s, "/nonexistent/stats", NULL, 5000, NULL), 0);
    ck_assert_int_eq(stats_write(&s, &f, &err), ERR_OUTPUT);
    stats_close(&s);
    error_free(err);
    ck_assert_int_eq(stats_open(&s, NULL, NULL, 5000, NULL), 0);
    ck_assert(!stats_due(&s, INT64_MAX));
}
END_TEST

/* Of a row that a disk has no room for nothing stays; when there is room again it goes on. */
START_TEST(full_disk)
{
    struct rlimit old, small;
    struct stats s = opened();
    struct error *err = NULL;
    ck_assert_int_eq(stats_write(&s, &f, NULL), 0);
    read_back(series);
    size_t whole = text.len;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = whole + 30;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    s.file = NULL;
    int status = stats_write(&s, &f, &err);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_int_eq(status, ERR_OUTPUT);
    error_free(err);
    read_back(series);
    ck_assert_uint_eq(text.len, whole);
    ck_assert_int_eq(stats_write(&s, &f, NULL), 0);
    stats_close(&s);
    read_back(series);
    ck_assert_uint_eq(lines(), 3);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, goes_on);
    tcase_add_test(tests, torn_row);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, full_disk);
}

int main(void)
{
    return unit_main("stats", fill);
}
