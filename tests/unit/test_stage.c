/* Fixtures made from outside the target: what stands there afterwards, seen by programs in the box and by this machine.
 * Files, directories, pipes, disks and the walls around them are tested with the exec driver. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "session_fixture.h"

static struct session_fixture f;
static bool possible;

static void set_up(void)
{
    const char *why = NULL;
    session_set_up(&f);
    possible = box_possible(&why);
    if (!possible)
        printf("not tested: no box here: %s\n", why);
}

static void tear_down(void)
{
    char *base = f.session ? strdup(f.session->base) : NULL;
    if (f.session)
        session_close(f.session);
    f.session = NULL;
    if (base)
        ck_assert_msg(access(base, F_OK) < 0, "%s is left", base);
    free(base);
    session_tear_down(&f);
}

static bool begin(void)
{
    if (possible)
        session_new(&f, "exec:");
    return possible;
}

static void begin_without_box(void)
{
    struct target_options o = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = true};
    struct error *err = NULL;
    ck_assert_int_eq(target_new(&o, &f.target, &err), 0);
    session_begin(&f);
}

static const char *in_root(const char *path)
{
    return arena_printf(&f.arena, "%s/%s", session_root(f.session), path);
}

START_TEST(links)
{
    if (!begin())
        return;
    ASSERT_OK("stage-file", "{\"path\":\"d/a\",\"content\":\"through\"}");
    ASSERT_OK("stage-symlink", "{\"path\":\"full\",\"to\":\"{root}/d/a\"}");
    ASSERT_OK("stage-symlink", "{\"path\":\"braces\",\"to\":\"{rooted}/{}\"}");
    ck_assert_str_eq(sh_out(&f, "cat full"), "through");
    ck_assert_str_eq(sh_out(&f, "readlink full"), arena_printf(&f.arena, "%s/d/a\n", session_root(f.session)));
    ck_assert_str_eq(sh_out(&f, "readlink braces"), "{rooted}/{}\n");
}
END_TEST

#define CONNECT(path)                                                                                        \
    "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(5)\n"                        \
    "try: s.connect(\"" path "\"); print(\"connected\")\n"                                                   \
    "except OSError as e: print(e.strerror)'"

START_TEST(sockets)
{
    if (!begin())
        return;
    ASSERT_OK("stage-socket", "{\"path\":\"d/live\"}");
    ASSERT_OK("stage-socket", "{\"path\":\"dead\",\"dead\":true}");
    ck_assert_str_eq(sh_out(&f, "stat -c %F d/live dead"), "socket\nsocket\n");
    ck_assert_str_eq(sh_out(&f, CONNECT("d/live")), "connected\n");
    ck_assert_str_eq(sh_out(&f, CONNECT("dead")), "Connection refused\n");
    ck_assert_str_eq(sh_out(&f, "rm d/live dead; ls -A . d"), ".:\nd\n\nd:\n");
    /* A name longer than an address can be. */
    const char *args = arena_printf(&f.arena, "{\"path\":\"%0200d\"}", 7);
    ASSERT_OK("stage-socket", args);
    ck_assert_str_eq(sh_out(&f, "stat -c %F 0*7"), "socket\n");
    ck_assert_int_eq(do_call(&f, "stage-socket", args), OUTCOME_SKIPPED); /* taken */
    ck_assert_str_eq(sh_out(&f, "ls -A | wc -l"), "2\n");
}
END_TEST

START_TEST(devices)
{
    if (!begin())
        return;
    if (!session_supports(f.session, "stage:device")) {
        ck_assert_int_eq(do_call(&f, "stage-device", "{\"path\":\"n\",\"kind\":\"null\"}"), OUTCOME_SKIPPED);
        ck_assert_str_eq(f.call.outcome.skip_reason, "stage:device");
        return;
    }
    ASSERT_OK("stage-device", "{\"path\":\"n\",\"kind\":\"null\"}");
    ASSERT_OK("stage-device", "{\"path\":\"z\",\"kind\":\"zero\"}");
    ck_assert_str_eq(sh_out(&f, "stat -c '%F %t %T' n z"), "character special file 1 3\ncharacter special file 1 5\n");
    ck_assert_str_eq(sh_out(&f, "(head -c 1 < z) 2> err || echo no; grep -c denied err"), "no\n1\n");
    ck_assert_int_eq(do_call(&f, "stage-device", "{\"path\":\"s\",\"kind\":\"sda\"}"), OUTCOME_SKIPPED);
    ck_assert_int_eq(do_call(&f, "stage-device", "{\"path\":\"n\",\"kind\":\"null\"}"), OUTCOME_SKIPPED);
}
END_TEST

START_TEST(devices_without_a_box)
{
    begin_without_box();
    if (!session_supports(f.session, "stage:device"))
        return;
    ASSERT_OK("stage-device", "{\"path\":\"z\",\"kind\":\"zero\"}");
    ASSERT_OK("stage-device", "{\"path\":\"full\",\"kind\":\"full\"}");
    ck_assert_str_eq(sh_out(&f, "head -c 3 z | od -An -tx1; (echo x > full) 2> /dev/null || echo full"), " 00 00 00\nfull\n");
}
END_TEST

START_TEST(deep)
{
    if (!begin())
        return;
    ASSERT_OK("stage-deep", "{\"path\":\"a/b\",\"depth\":30,\"length\":250,\"content\":\"found\"}");
    char name[251];
    memset(name, 'd', 250);
    name[250] = '\0';
    int dir = open(in_root("a/b"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 30; i++) {
        int next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(dir);
        dir = next;
    }
    int leaf = openat(dir, "leaf.txt", O_RDONLY | O_CLOEXEC);
    char text[8] = "";
    ck_assert_int_eq(read(leaf, text, sizeof text), 5);
    ck_assert_str_eq(text, "found");
    close(leaf);
    close(dir);
    ck_assert_str_eq(sh_out(&f, "find a -name leaf.txt | wc -c"), "7543\n"); /* longer than a path may be */
}
END_TEST

START_TEST(many)
{
    if (!begin())
        return;
    ASSERT_OK("stage-many", "{\"path\":\"m\",\"count\":1500}");
    ck_assert_str_eq(sh_out(&f, "ls m | wc -l; ls m | tail -n 1; rm m/entry-00007; echo x > m/entry-00008; ls m | wc -l"),
                     "1500\nentry-01500\n1499\n");
}
END_TEST

START_TEST(odd_names)
{
    if (!begin())
        return;
    ASSERT_OK("stage-names", "{\"path\":\"o\",\"content\":\"held\"}");
    DIR *dir = opendir(in_root("o"));
    size_t count = 0, longest = 0, not_text = 0, control = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct bytes name = bytes_of_string(entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        longest = name.len > longest ? name.len : longest;
        not_text += !utf8_valid(name);
        control += strpbrk(entry->d_name, "\n\r\t\x1b\a\x7f") != NULL;
        struct stat st;
        ck_assert(fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_size == 4);
    }
    closedir(dir);
    ck_assert_uint_eq(longest, 255);
    ck_assert_uint_ge(not_text, 3);
    ck_assert_uint_eq(control, 6);
    ck_assert_str_eq(sh_out(&f, "cat o/*feed o/-rf 'o/trailing ' o/...; find o -type f -print0 | tr -dc '\\0' | wc -c"),
                     arena_printf(&f.arena, "heldheldheldheld%zu\n", count));
}
END_TEST

START_TEST(sparse)
{
    if (!begin())
        return;
    ASSERT_OK("stage-sparse", "{\"path\":\"d/s\",\"bytes\":1099511627776,\"content\":\"the end\"}");
    ck_assert_str_eq(sh_out(&f, "stat -c %s d/s; tail -c 8 d/s | od -An -c | tr -d ' '"), "1099511627776\n\\0theend\n");
    struct stat st;
    ck_assert_int_eq(stat(in_root("d/s"), &st), 0);
    ck_assert_int_le(st.st_blocks, 64);
}
END_TEST

START_TEST(damage)
{
    if (!begin())
        return;
    static const struct {
        const char *kind, *left;
    } kinds[] = {{"line", "one\ntwo\n{\"cut short\": \"\n"}, {"cut", "one\nt"}, {"joined", "onetwo\n"}, {"mark", "\xEF\xBB\xBFone\ntwo\n"}, {"empty", ""}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sh_out(&f, "mkdir -p d/e/g; printf 'one\\ntwo\\n' | tee a d/b d/e/c > d/e/g/deep; : > none; ln -sf ../out l; mkfifo p 2>/dev/null; chmod 640 a");
        ASSERT_OK("stage-damage", arena_printf(&f.arena, "{\"path\":\".\",\"kind\":\"%s\"}", kinds[i].kind));
        ck_assert_int_eq(result_integer(&f, "files"), 2); /* a and d/b */
        ck_assert_str_eq(sh_out(&f, "cat a"), kinds[i].left);
        ck_assert_str_eq(sh_out(&f, "cat d/b"), kinds[i].left);
        ck_assert_str_eq(sh_out(&f, "cat d/e/c; stat -c %s none; stat -c %a a"), "one\ntwo\n0\n640\n");
    }
}
END_TEST

static const struct {
    const char *op, *args;
} refused[] = {
    {"stage-socket", "{\"path\":\"../s\"}"},
    {"stage-socket", "{\"path\":\"\"}"},
    {"stage-device", "{\"path\":\"../d\",\"kind\":\"null\"}"},
    {"stage-deep", "{\"path\":\"x\",\"depth\":0}"},
    {"stage-deep", "{\"path\":\"x\",\"depth\":4097}"},
    {"stage-deep", "{\"path\":\"x\",\"depth\":2,\"length\":256}"},
    {"stage-deep", "{\"path\":\"../x\",\"depth\":2}"},
    {"stage-many", "{\"path\":\"x\",\"count\":50001}"},
    {"stage-many", "{\"path\":\"x\",\"count\":0}"},
    {"stage-many", "{\"path\":\"out\",\"count\":1}"},
    {"stage-names", "{\"path\":\"../x\"}"},
    {"stage-names", "{\"path\":\"out/x\"}"},
    {"stage-sparse", "{\"path\":\"x\",\"bytes\":3,\"content\":\"four\"}"},
    {"stage-sparse", "{\"path\":\"x\",\"bytes\":9223372036854775807}"},
    {"stage-sparse", "{\"path\":\"out/x\",\"bytes\":1}"},
    {"stage-symlink", "{\"path\":\"x\",\"to\":\"\"}"},
    {"stage-damage", "{\"path\":\"..\"}"},
    {"stage-damage", "{\"path\":\"out\"}"},
    {"stage-damage", "{\"path\":\".\",\"kind\":\"other\"}"},
};

START_TEST(stays_inside)
{
    if (!begin())
        return;
    ASSERT_OK("stage-symlink", "{\"path\":\"out\",\"to\":\"/tmp\"}");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert_msg(do_call(&f, refused[i].op, refused[i].args) == OUTCOME_SKIPPED && f.call.outcome.skip_reason,
                      "%s %s", refused[i].op, refused[i].args);
    ck_assert_str_eq(sh_out(&f, "ls -A"), "out\n");
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, links);
    tcase_add_test(tests, sockets);
    tcase_add_test(tests, devices);
    tcase_add_test(tests, devices_without_a_box);
    tcase_add_test(tests, deep);
    tcase_add_test(tests, many);
    tcase_add_test(tests, odd_names);
    tcase_add_test(tests, sparse);
    tcase_add_test(tests, damage);
    tcase_add_test(tests, stays_inside);
}

int main(void)
{
    return unit_main("stage", fill);
}
