/* exec/target/spec: words as a shell makes them, kinds of targets, what words make visible in a box,
 * target_new's refusals, placeholders and path spellings. Cases of splitting stand in
 * tests/data/spec/words.txt. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "exec/target/session_internal.h"
#include "exec/target/spec.h"
#include "exec/target/whereabouts.h"
#include "unit.h"

static struct buf text;
static struct error *err;
static struct settings settings;

static void set_up(void)
{
    buf_init(&text, 1 << 20);
    settings_defaults(&settings);
    err = NULL;
}

static void tear_down(void)
{
    error_free(err);
    buf_release(&text);
}

/* "<a> <b c>" of words. */
static const char *shown(char **words)
{
    buf_clear(&text);
    for (char **w = words; *w; w++)
        buf_addf(&text, "%s<%s>", w == words ? "" : " ", *w);
    return buf_string(&text);
}

/* Groups of two lines: the text (escapes \n and \t in it), then the words as shown, or "! message". */
START_TEST(splitting)
{
    struct buf file;
    buf_init(&file, 1 << 20);
    ck_assert_int_eq(fs_read(TASKGEN_SOURCE_DIR "/tests/data/spec/words.txt", 1 << 20, &file, NULL), 0);
    char *at = (char *)buf_string(&file), *line;
    int count = 0;
    while ((line = strsep(&at, "\n")) && at) {
        if (!*line || strncmp(line, "# ", 2) == 0)
            continue;
        char given[512], *to = given, **words = NULL;
        for (const char *c = line; *c && to < given + sizeof given - 1; c++) {
            bool escape = c[0] == '\\' && (c[1] == 'n' || c[1] == 't') && c[2] == '~';
            *to++ = escape ? (c[1] == 'n' ? '\n' : '\t') : *c;
            c += escape ? 2 : 0;
        }
        *to = '\0';
        const char *want = strsep(&at, "\n");
        error_free(err);
        err = NULL;
        int status = spec_split(given, &words, &err);
        if (want[0] == '!') {
            ck_assert_msg(status == ERR_INPUT, "%s: no error", line);
            ck_assert_str_eq(err->text, want + 2);
            ck_assert_ptr_null(words);
        } else {
            ck_assert_msg(status == 0, "%s: %s", line, err ? err->text : "");
            ck_assert_str_eq(shown(words), want);
            strings_free(words);
        }
        count++;
    }
    ck_assert_int_ge(count, 30);
    buf_release(&file);
}
END_TEST

START_TEST(kinds)
{
    const struct spec_kind *kind;
    char **words;
    ck_assert_int_eq(spec_parse("mcp:server 'a b'", &kind, &words, NULL), 0);
    ck_assert_str_eq(kind->driver->name, "mcp");
    ck_assert_str_eq(shown(words), "<server> <a b>");
    strings_free(words);
    ck_assert_int_eq(spec_parse("exec:", &kind, &words, NULL), 0);
    ck_assert_str_eq(kind->driver->name, "exec");
    ck_assert_str_eq(shown(words), "");
    strings_free(words);
    ck_assert_int_eq(spec_parse("exec:bwrap --bind {root} {root}", &kind, &words, NULL), 0);
    ck_assert_str_eq(shown(words), "<bwrap> <--bind> <{root}> <{root}>");
    strings_free(words);
}
END_TEST

START_TEST(demo)
{
    const struct spec_kind *kind;
    char **words;
    char *dir = fs_fresh_dir("taskgen-test", NULL), *box = strings_printf("%s/leakybox", dir);
    setenv("TASKGEN_LIBEXEC", dir, 1);
    ck_assert_int_eq(spec_parse("demo", &kind, &words, NULL), ERR_TARGET); /* not there */
    ck_assert_int_eq(fs_write(box, BYTES_LITERAL("#!/bin/sh\n"), NULL), 0);
    ck_assert_int_eq(chmod(box, 0755), 0);
    static const char *const rows[][2] = {{"demo", "demo"},
                                          {"demo:", "demo"},
                                          {"demo:none", "none"},
                                          {"demo:all,-two-roots", "all,-two-roots"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(spec_parse(rows[i][0], &kind, &words, NULL), 0);
        ck_assert_str_eq(kind->driver->name, "mcp");
        char *want = strings_printf("<%s> <{root}> <--faults> <%s>", box, rows[i][1]);
        ck_assert_str_eq(shown(words), want);
        free(want);
        strings_free(words);
    }
    fs_remove_tree(dir, NULL);
    free(box);
    free(dir);
}
END_TEST

START_TEST(bad_specs)
{
    static const struct {
        const char *spec, *text;
    } rows[] = {
        {"", "unknown target '', expected mcp:COMMAND LINE, http://…, exec:PREFIX, ssh:HOST, local, cdp:chromium, plugin:COMMAND LINE or demo[:FAULTS]"},
        {"demonstration",
         "unknown target 'demonstration', expected mcp:COMMAND LINE, http://…, exec:PREFIX, ssh:HOST, local, cdp:chromium, plugin:COMMAND LINE or demo[:FAULTS]"},
        {"mcp", "unknown target 'mcp', expected mcp:COMMAND LINE, http://…, exec:PREFIX, ssh:HOST, local, cdp:chromium, plugin:COMMAND LINE or demo[:FAULTS]"},
        {"mcp:", "target 'mcp:': a command must follow, as in mcp:COMMAND LINE"},
        {"mcp:  ", "target 'mcp:  ': a command must follow, as in mcp:COMMAND LINE"},
        {"mcp:a 'b", "target 'mcp:a 'b': the quote ' at character 3 is not closed"},
    };
    const struct spec_kind *kind;
    char **words;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        error_free(err);
        err = NULL;
        ck_assert_int_eq(spec_parse(rows[i].spec, &kind, &words, &err), ERR_INPUT);
        ck_assert_str_eq(err->text, rows[i].text);
    }
}
END_TEST

START_TEST(targets)
{
    struct target *t;
    struct target_options o = {.spec = "mcp:/bin/server", .settings = &settings};
    const char *why = NULL;
    ck_assert_int_eq(target_new(&o, &t, NULL), 0);
    ck_assert_str_eq(target_spec(t), "mcp:/bin/server");
    ck_assert_str_eq(target_driver(t), "mcp");
    ck_assert_str_eq(target_identity(t), "");
    target_set_identity(t, "%s %d", "name", 5);
    ck_assert_str_eq(target_identity(t), "name 5");
    target_free(t);
    o.no_box = true;
    ck_assert_int_eq(target_new(&o, &t, NULL), 0);
    ck_assert(!target_boxed(t, &why));
    ck_assert_str_eq(why, "the box was turned off");
    target_free(t);
    o.env = (const char *const[]){"A=1", "B", NULL};
    ck_assert_int_eq(target_new(&o, &t, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "bad variable 'B', expected NAME=VALUE");
    target_free(NULL);
}
END_TEST

/* Where no box can be made, a target that has nothing else around it is refused; others go without. */
START_TEST(no_box_to_be_had)
{
    struct target *t;
    struct target_options o = {.spec = "exec:", .settings = &settings};
    setenv("PATH", "/nowhere", 1);
    ck_assert_int_eq(target_new(&o, &t, &err), ERR_TARGET);
    ck_assert_str_eq(
        err->text,
        "target 'exec:' without a sandbox of its own needs our box, and none can be made here: "
        "bubblewrap (bwrap) is not installed; --no-box runs its commands on this machine unprotected");
    o.no_box = true;
    ck_assert_int_eq(target_new(&o, &t, NULL), 0);
    target_free(t);
    o.no_box = false;
    o.spec = "exec:bwrap --unshare-all";
    const char *why;
    ck_assert_int_eq(target_new(&o, &t, NULL), 0);
    ck_assert(!target_boxed(t, &why));
    ck_assert_str_eq(why, "bubblewrap (bwrap) is not installed");
    target_free(t);
}
END_TEST

/* --- visibility --- */

static char *dir;

static char *make_file(const char *name, const char *content)
{
    char *path = strings_printf("%s/%s", dir, name), *parent = xstrdup(path);
    *strrchr(parent, '/') = '\0';
    ck_assert_int_eq(fs_make_dirs(parent, NULL), 0);
    ck_assert_int_eq(fs_write(path, bytes_of_string(content), NULL), 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
    free(parent);
    return path;
}

static void make_link(const char *name, const char *to)
{
    char *path = strings_printf("%s/%s", dir, name), *parent = xstrdup(path);
    *strrchr(parent, '/') = '\0';
    ck_assert_int_eq(fs_make_dirs(parent, NULL), 0);
    ck_assert_int_eq(symlink(to, path), 0);
    free(parent);
    free(path);
}

/* What is visible for words (in which @ is our directory), relative to it; things outside of it are left out.
 */
static const char *visible(const char *spec)
{
    struct buf with;
    buf_init(&with, 65536);
    for (; *spec; spec++)
        if (*spec == '@')
            buf_add_string(&with, dir);
        else
            buf_add_byte(&with, (uint8_t)*spec);
    char **words, **list;
    ck_assert_int_eq(spec_split(buf_string(&with), &words, NULL), 0);
    list = spec_visible(words, NULL);
    buf_clear(&text);
    for (char **at = list; *at; at++) {
        ck_assert_str_ne(*at, "/tmp");
        if (strncmp(*at, dir, strlen(dir)) == 0)
            buf_addf(&text, "%s%s", text.len ? " " : "", *at + strlen(dir));
    }
    strings_free(words);
    strings_free(list);
    buf_release(&with);
    return buf_string(&text);
}

START_TEST(what_stays_visible)
{
    dir = fs_fresh_dir("taskgen-test", NULL);
    free(make_file("node/bin/node", "binary"));
    free(make_file("node/lib/node_modules/npm/index.js", ""));
    free(make_file("app/node_modules/server/dist/index.js", "#!/usr/bin/env node\n"));
    make_link("app/node_modules/.bin/server", "../server/dist/index.js");
    free(make_file("venv/bin/python", "binary"));
    free(make_file("venv/pyvenv.cfg", ""));
    free(make_file("venv/bin/tool", "#!/bin/sh\n"));
    free(make_file("plain/sub/program", "binary"));
    free(make_file("conf/server.json", "{}"));
    char *closed = make_file("closed/file", "");
    *strrchr(closed, '/') = '\0';
    ck_assert_int_eq(chmod(closed, 0700), 0);
    free(closed);
    char *script = strings_printf("#!%s/venv/bin/python\n", dir),
         *path = strings_printf("%s/node/bin:/usr/bin:/bin", dir);
    free(make_file("scripts/run.py", script));
    setenv("PATH", path, 1);
    static const char *const rows[][2] = {
        {"/bin/true /usr/bin /etc/passwd", ""},
        {"@/plain/sub/program", "/plain/sub"},
        {"@/plain/sub/program @/plain/sub", "/plain/sub"},
        {"@/plain @/plain/sub/program", "/plain"},
        {"@/venv/bin/tool", "/venv"},
        {"@/scripts/run.py", "/scripts /venv"},
        {"node", "/node"},
        {"sh -c node", "/node"},
        {"@/app/node_modules/.bin/server", "/app /node"},
        {"server --config=@/conf/server.json", "/conf"},
        {"sh -c 'cd @/plain/sub && exec @/venv/bin/tool \"$1\"' sh", "/plain/sub /venv"},
        {"sh -c 'X=@/conf/server.json;echo $(cat<@/scripts/run.py)'", "/conf /scripts /venv"},
        {"sh -c 'echo @/plain.txt @/not/there /tmp /'", ""},
        {"{root}/x @/not/there", ""},
        {"/tmp /root /home", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(visible(rows[i][0]), rows[i][1]);
    ck_assert_str_eq(visible("cat @/closed/file"), geteuid() == 0 ? "/closed/file" : "/closed");
    free(script);
    free(path);
    fs_remove_tree(dir, NULL);
    free(dir);
}
END_TEST

/* A program right in a home directory does not open the home. */
START_TEST(homes_stay_closed)
{
    dir = fs_fresh_dir("taskgen-test", NULL);
    setenv("HOME", dir, 1);
    free(make_file("program", "binary"));
    free(make_file(".local/bin/tool", "binary"));
    free(make_file(".local/share/keys", "secret"));
    free(make_file("node_modules/server/index.js", ""));
    ck_assert_str_eq(visible("@/program"), "/program");
    ck_assert_str_eq(visible("@/.local/bin/tool"), "/.local/bin");
    ck_assert_str_eq(visible("@/node_modules/server/index.js"), "/node_modules");
    ck_assert_str_eq(visible("@"), "");
    fs_remove_tree(dir, NULL);
    free(dir);
}
END_TEST

START_TEST(relative_words)
{
    dir = fs_fresh_dir("taskgen-test", NULL);
    free(make_file("server.js", ""));
    free(make_file("bin/server", ""));
    ck_assert_int_eq(chdir(dir), 0);
    struct target *t;
    struct target_options o = {.spec = "mcp:bin/server server.js none.js /abs {root} bin",
                               .settings = &settings};
    ck_assert_int_eq(target_new(&o, &t, NULL), 0);
    char *want = strings_printf("<%s/bin/server> <%s/server.js> <none.js> </abs> <{root}> <bin>", dir, dir);
    ck_assert_str_eq(shown(t->words), want);
    target_free(t);
    free(want);
    o.cwd = "/work"; /* then relative words are relative to that */
    ck_assert_int_eq(target_new(&o, &t, NULL), 0);
    want = strings_printf("<%s/bin/server> <server.js> <none.js> </abs> <{root}> <bin>", dir);
    ck_assert_str_eq(shown(t->words), want);
    target_free(t);
    free(want);
    ck_assert_int_eq(chdir("/"), 0);
    fs_remove_tree(dir, NULL);
    free(dir);
}
END_TEST

/* --- placeholders and spellings --- */

static struct target fake_target = {.options = {.spec = "mcp:x"}};
static struct session fake = {.target = &fake_target,
                              .driver = &driver_mcp,
                              .base = "/tmp/s",
                              .root = "/tmp/s/root",
                              .home = "/tmp/s/home",
                              .db = "/tmp/s/home/db",
                              .port = 1234};

START_TEST(placeholders)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"{root}", "/tmp/s/root"},
        {"a{root}b{home}", "a/tmp/s/rootb/tmp/s/home"},
        {"--port={port} {db}", "--port=1234 /tmp/s/home/db"},
        {"{other} {root {} }{", "{other} {root {} }{"},
        {"{{root}}", "{/tmp/s/root}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *got = session_expand(&fake, rows[i][0]);
        ck_assert_str_eq(got, rows[i][1]);
        free(got);
    }
}
END_TEST

START_TEST(spellings)
{
    static const char *const rows[][3] = {
        {"relative", "a/b", "a/b"},
        {"relative", "", "."},
        {"absolute", "a/b", "/tmp/s/root/a/b"},
        {"absolute", "", "/tmp/s/root"},
        {"tilde", "a/b", "~/../root/a/b"},
        {"dotted", "a/b", "/tmp/s/root/../root/./a/b"},
        {"link", "a/b", "/tmp/s/root/a/b"}, /* no link can be made where the root is not seen */
        {NULL, "a/b", "/tmp/s/root/a/b"},
        {"tilde", "/etc/passwd", "/etc/passwd"},
        {"absolute", "../up", "/tmp/s/up"}, /* what leads out, without dots: the dotted spelling has them */
        {"absolute", "../../../../up", "/up"},
        {"absolute", "a/../b", "/tmp/s/root/a/../b"},
        {"dotted", "../up", "/tmp/s/root/../root/./../up"},
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes got = session_spell(&fake, bytes_of_string(rows[i][1]), rows[i][0], &a);
        ck_assert_msg(bytes_equal_string(got, rows[i][2]), "%s of '%s': %.*s",
                      rows[i][0] ? rows[i][0] : "default", rows[i][1], BYTES_ARG(got));
    }
    struct bytes got = session_spell(&fake, BYTES_LITERAL("a\0\xff"), "absolute", &a);
    ASSERT_BYTES(got, "/tmp/s/root/a\0\xff");
    arena_release(&a);
}
END_TEST

START_TEST(environments)
{
    static const char *const given[] = {"B={root}/x", "HOME=/elsewhere", NULL};
    setenv("PATH", "/usr/bin", 1);
    setenv("SECRET", "must not be passed on", 1);
    fake_target.options.env = given;
    fake.boxed = true;
    char **env = session_environment(&fake);
    ck_assert_str_eq(shown(env), "<PATH=/usr/bin> <HOME=/elsewhere> <LANG=C.UTF-8> <TMPDIR=/tmp> <TERM=dumb> "
                                 "<" SESSION_MARK "=s> <B=/tmp/s/root/x>");
    strings_free(env);
    fake.boxed = false;
    env = session_environment(&fake);
    ck_assert_str_eq(shown(env), "<PATH=/usr/bin> <HOME=/elsewhere> <LANG=C.UTF-8> "
                                 "<TMPDIR=/tmp/s/tmp> <TERM=dumb> <" SESSION_MARK "=s> <B=/tmp/s/root/x>");
    strings_free(env);
    fake_target.options.env = NULL;
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, splitting);
    tcase_add_test(tests, kinds);
    tcase_add_test(tests, demo);
    tcase_add_test(tests, bad_specs);
    tcase_add_test(tests, targets);
    tcase_add_test(tests, no_box_to_be_had);
    tcase_add_test(tests, what_stays_visible);
    tcase_add_test(tests, homes_stay_closed);
    tcase_add_test(tests, relative_words);
    tcase_add_test(tests, placeholders);
    tcase_add_test(tests, spellings);
    tcase_add_test(tests, environments);
}

int main(void)
{
    return unit_main("spec", fill);
}
