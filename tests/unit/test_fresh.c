/* exec/target/session: root and home are always fresh: sessions never share them, and what a killed run left is never used again. */
#include <pthread.h>

#include "exec/target/session_base.h"
#include "session_fixture.h"
#include "unit.h"

enum { THREADS = 4, EACH = 6, MANY = THREADS * EACH };

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
    struct target_options o = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = true};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

/* But for the tripwire that is planted in a home. */
static int entries_in(const char *path)
{
    int count = 0;
    DIR *list = opendir(path);
    ck_assert_msg(list != NULL, "%s", path);
    for (struct dirent *e; (e = readdir(list));)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, ".private") != 0;
    closedir(list);
    return count;
}

/* Opens sessions, writes into each, and keeps them all open. */
static void *open_some(void *list)
{
    struct session **sessions = list;
    for (int i = 0; i < EACH; i++) {
        struct session *s = NULL;
        if (session_open(f.target, &s, NULL) < 0)
            return "a session could not be opened";
        if (entries_in(session_root(s)) + entries_in(session_home(s)) != 0)
            return "a session begins with files in its root or home";
        char *file = strings_printf("%s/mine", session_root(s));
        fs_write(file, bytes_of_string("x"), NULL);
        free(file);
        sessions[i] = s;
    }
    return NULL;
}

START_TEST(sessions_share_nothing)
{
    struct session *all[MANY] = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, open_some, &all[i * EACH]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *said = NULL;
        pthread_join(threads[i], &said);
        ck_assert_msg(!said, "%s", (const char *)said);
    }
    for (int i = 0; i < MANY; i++) {
        ck_assert_str_ne(session_root(all[i]), session_home(all[i]));
        for (int k = 0; k < i; k++) {
            ck_assert_str_ne(session_root(all[i]), session_root(all[k]));
            ck_assert_str_ne(session_home(all[i]), session_home(all[k]));
            ck_assert_str_ne(all[i]->base, all[k]->base);
        }
    }
    for (int i = 0; i < MANY; i++) {
        char *root = xstrdup(session_root(all[i]));
        session_close(all[i]);
        ck_assert_int_lt(access(root, F_OK), 0);
        free(root);
    }
}
END_TEST

/* A process that opens a session, leaves a file in it and is killed; where its root was. */
static void killed_run(char root[512])
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct session *s = NULL;
        session_open(f.target, &s, NULL);
        char *file = strings_printf("%s/left", session_root(s));
        fs_write(file, bytes_of_string("from a killed run"), NULL);
        (void)!write(fds[1], session_root(s), strlen(session_root(s)) + 1);
        raise(SIGKILL);
    }
    close(fds[1]);
    ssize_t n = read(fds[0], root, 512);
    ck_assert_int_gt(n, 0);
    close(fds[0]);
    waitpid(pid, NULL, 0);
}

START_TEST(what_a_killed_run_left)
{
    char root[512], *file, *where;
    killed_run(root);
    file = strings_printf("%s/left", root);
    ck_assert_int_eq(access(file, F_OK), 0);
    for (int i = 0; i < 20; i++) {
        struct session *s = NULL;
        ck_assert_int_eq(session_open(f.target, &s, NULL), 0);
        ck_assert_str_ne(session_root(s), root);
        ck_assert_int_eq(entries_in(session_root(s)), 0);
        session_close(s);
        ck_assert_int_eq(access(file, F_OK), 0); /* and it is nobody's to touch before it is old */
    }
    where = xstrdup(root);
    *strrchr(where, '/') = '\0'; /* the session's directory */
    *strrchr(where, '/') = '\0'; /* where those are */
    ck_assert_uint_ge(session_base_sweep(where, 0), 1);
    ck_assert_int_lt(access(root, F_OK), 0);
    free(file);
    free(where);
}
END_TEST

/* The same root and home after the target was ended and started again, which is the point of reopen. */
START_TEST(reopened)
{
    session_begin(&f);
    char *root = xstrdup(session_root(f.session));
    ck_assert_int_eq(session_reopen(f.session, NULL), 0);
    ck_assert_str_eq(session_root(f.session), root);
    free(root);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, sessions_share_nothing);
    tcase_add_test(tests, what_a_killed_run_left);
    tcase_add_test(tests, reopened);
}

int main(void)
{
    /* Others on this machine have sessions too; what is swept here must be ours. */
    char *own = fs_fresh_dir("taskgen-test", NULL);
    setenv("TMPDIR", own, 1);
    int status = unit_main("fresh", fill);
    fs_remove_tree(own, NULL);
    free(own);
    return status;
}
