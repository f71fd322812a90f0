/* corpus/store: no room, no permission. */
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"

/* Writes until it is refused, which must happen, in one line; then everything else still answers. */
static int fill_up(struct store *s, int64_t run)
{
    static char steps[20001];
    memset(steps, 'x', sizeof steps - 1);
    for (uint64_t i = 0; i < 2000; i++) {
        struct task *t = a_task(1, i, 1);
        struct error *err = NULL;
        size_t fresh;
        struct store_execution e = {.run = run,
                                    .task = t,
                                    .outcome = EXECUTION_FAILED,
                                    .steps = steps,
                                    .features = &i,
                                    .feature_count = 1};
        int status = store_put_execution(s, &e, &fresh, &err);
        task_free(t);
        if (status < 0) {
            ck_assert_msg(status == ERR_OUTPUT && strstr(err->text, "cannot write '") &&
                              !strchr(err->text, '\n'),
                          "%s", err->text);
            error_free(err);
            return (int)i;
        }
    }
    ck_abort_msg("the disk was never full");
}

static void no_room(void (*make_room)(void))
{
    OK(settings_set(&settings, "loop.batch", "10", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct finding f = a_finding(A);
    bool grew;
    OK(store_put_finding(s, run, &f, &grew, err));
    int put_before = fill_up(s, run);
    ck_assert_int_gt(put_before, 10);
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_ge(totals.executions, put_before / 10 * 10 - 10);
    ck_assert_int_eq(totals.findings, 1);
    /* With room again it goes on where the file stands: a feature of the lost batch is new once more. */
    make_room();
    struct task *t = a_task(2, 0, 1);
    uint64_t next = (uint64_t)totals.features, known = next - 1;
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, NULL, &next, 1), 1);
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, NULL, &known, 1), 0);
    OK(store_flush(s, err));
    store_close(s);
    expect_intact();
    ck_assert_int_eq(outside("SELECT count(*) FROM feature"), totals.features + 1);
    task_free(t);
}

static void raise_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

START_TEST(file_size_limit)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    no_room(raise_limit);
}
END_TEST

/* A small disk of our own, in a mount namespace of our own: nothing is left of it. False where that is not
 * permitted. */
static bool small_disk(const char *where)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", where, "tmpfs", 0, "size=2m") == 0;
}

static void grow_disk(void)
{
    ck_assert_int_eq(mount("tmpfs", dir, "tmpfs", MS_REMOUNT, "size=64m"), 0);
}

START_TEST(full_disk)
{
    if (!small_disk(dir))
        return; /* file_size_limit says the same, less well */
    no_room(grow_disk);
    ck_assert_int_eq(umount2(dir, MNT_DETACH), 0);
}
END_TEST

/* The thread that commits in time has nobody to tell: the next caller hears it. */
START_TEST(full_disk_in_the_background)
{
    if (!small_disk(dir))
        return;
    OK(settings_set(&settings, "loop.batch-ms", "20", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    char filler[600], *block = xcalloc(1, 4096);
    snprintf(filler, sizeof filler, "%s/filler", dir);
    FILE *f = fopen(filler, "w");
    ck_assert_ptr_nonnull(f);
    while (fwrite(block, 1, 4096, f) == 4096 && fflush(f) == 0)
        continue;
    fclose(f);
    free(block);
    static char steps[100001];
    memset(steps, 'x', sizeof steps - 1);
    struct task *t = a_task(1, 0, 1);
    put(s, run, t, EXECUTION_FAILED, steps, NULL, 0);
    for (int i = 0; i < 200; i++) {
        usleep(10000);
        struct error *err = NULL;
        int status = store_flush(s, &err);
        if (status < 0) {
            ck_assert_int_eq(status, ERR_OUTPUT);
            ck_assert_ptr_nonnull(strstr(err->text, "full"));
            error_free(err);
            break;
        }
        ck_assert_int_lt(i, 199);
    }
    ck_assert_int_eq(unlink(filler), 0);
    put(s, run, t, EXECUTION_FAILED, steps, NULL, 0);
    OK(store_flush(s, err));
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 1);
    task_free(t);
    ck_assert_int_eq(umount2(dir, MNT_DETACH), 0);
}
END_TEST

static void use_read_only(void)
{
    struct store *s = NULL;
    FAILS(ERR_OUTPUT, "cannot write '", store_open(db_path, STORE_WRITE, &settings, &s, err));
    s = opened(STORE_READ); /* where not even the reader's own files can be made */
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.executions, 300);
    store_close(s);
}

START_TEST(read_only)
{
    char name[64];
    snprintf(name, sizeof name, "odd?name#%%41.db");
    if (geteuid() == 0 && !small_disk(dir))
        return; /* root is asked for no permission */
    snprintf(db_path, sizeof db_path, "%s/%s", dir, name);
    make_full();
    if (geteuid() == 0) {
        ck_assert_int_eq(mount("tmpfs", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
        use_read_only();
        ck_assert_int_eq(umount2(dir, MNT_DETACH), 0);
    } else {
        ck_assert_int_eq(chmod(dir, 0555), 0);
        use_read_only();
        ck_assert_int_eq(chmod(dir, 0755), 0);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, file_size_limit);
    tcase_add_test(tests, full_disk);
    tcase_add_test(tests, full_disk_in_the_background);
    tcase_add_test(tests, read_only);
}

int main(void)
{
    return unit_main("store room", fill);
}
