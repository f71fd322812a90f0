/* What a script's text tells about how long its call may take. */
#include "exec/oracle/deadline.h"
#include "exec/oracle/script.h"
#include "execution_case.h"

static const struct {
    const char *script;
    bool background, slow, reads;
    double seconds;
} rows[] = {
    {"echo a", false, false, false, 0},
    {"sleep 5 &\necho a", true, false, false, 5},
    {"sleep 5& echo a", true, false, false, 5},
    {"(sleep 2.5 > /dev/null 2>&1 &)\n:", true, false, false, 2.5},
    {"sleep 3 & sleep 7 & true", true, false, false, 7},
    {"sleep 5", false, true, false, 0},
    {"true && sleep 1", false, true, false, 0},
    {"echo a && echo b || echo c", false, false, false, 0},
    {"echo a 2>&1", false, false, false, 0},
    {"echo a &> f", false, false, false, 0},
    {"sleep 9 & wait", true, true, false, 9},
    {"while :; do :; done", false, true, false, 0},
    {"cat", false, false, true, 0},
    {"cat > f", false, false, true, 0},
    {"cat f", false, true, false, 0},
    {"cat < f", false, true, false, 0},
    {"read line", false, false, true, 0},
    {"echo a | cat", false, false, false, 0},
    {"echo a | sleep 4", false, true, false, 0},
    {"X=1 Y=2 echo a", false, false, false, 0},
    {"python3 -", false, false, true, 0},
    {"python3 train.py", false, true, false, 0},
    {"nohup sleep 100 >/dev/null 2>&1 &", true, false, false, 100},
    {"sleep 1e999 &", true, false, false, 0},
    {"sleep", false, true, false, 0},
    {"&", true, false, false, 0},
    {"&&", false, false, false, 0},
    {" ; ;\n\n", false, false, false, 0},
};

START_TEST(traits)
{
    struct ops *ops = oracle_ops();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct execution_case c;
        struct script_traits t;
        case_init(&c, ops);
        struct observation *o = case_step(&c, "run", "");
        json_set(&c.arena, o->args, "language", json_text(&c.arena, "sh"));
        json_set(&c.arena, o->args, "script", json_text(&c.arena, rows[i].script));
        ck_assert_msg(script_traits_of(o, &t), "%s", rows[i].script);
        ck_assert_msg(t.background == rows[i].background, "%s: background %d", rows[i].script, t.background);
        ck_assert_msg(t.foreground_slow == rows[i].slow, "%s: slow %d", rows[i].script, t.foreground_slow);
        ck_assert_msg(t.reads_input == rows[i].reads, "%s: reads %d", rows[i].script, t.reads_input);
        ck_assert_msg(t.background_s == rows[i].seconds, "%s: %g s", rows[i].script, t.background_s);
        case_release(&c);
    }
    ops_free(ops);
}
END_TEST

START_TEST(other_languages)
{
    struct ops *ops = oracle_ops();
    struct execution_case c;
    struct script_traits t;
    case_init(&c, ops);
    struct observation *o = case_step(&c, "run", "");
    ck_assert(!script_traits_of(o, &t));
    json_set(&c.arena, o->args, "language", json_text(&c.arena, "python"));
    json_set(&c.arena, o->args, "script", json_text(&c.arena, "a & b"));
    ck_assert(!script_traits_of(o, &t));
    case_release(&c);
    ops_free(ops);
}
END_TEST

START_TEST(background_words)
{
    static const char *const yes[] = {"a &", "nohup a", "setsid a", "subprocess.Popen(['a'])", "a & b"};
    static const char *const no[] = {"", "a && b", "a 2>&1", "a >& b", "a &> b", "echo x"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        ck_assert_msg(script_in_background(bytes_of_string(yes[i])), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        ck_assert_msg(!script_in_background(bytes_of_string(no[i])), "%s", no[i]);
}
END_TEST

static struct observation *shell_case(struct execution_case *c, struct ops *ops, const char *script)
{
    case_init(c, ops);
    struct observation *o = case_step(c, "run", "");
    json_set(&c->arena, o->args, "language", json_text(&c->arena, "sh"));
    json_set(&c->arena, o->args, "script", json_text(&c->arena, script));
    return o;
}

/* Which scripts run the file tidy.sh, and which only speak of it. */
START_TEST(files_that_are_run)
{
    static const char *const yes[] = {"sh tidy.sh", "sh 'tidy.sh' > out", "./tidy.sh", "cd d && bash -e tidy.sh", "X=1 nohup sh tidy.sh &",
                                      ". ./tidy.sh", "sh 'tidy'.sh", "if true; then\nexec ./tidy.sh\nfi"};
    static const char *const no[] = {"cat tidy.sh", "wc -l tidy.sh; sh other.sh", "grep x tidy.sh | sort", "echo sh", ""};
    struct ops *ops = oracle_ops();
    struct execution_case c;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        ck_assert_msg(script_runs_file(shell_case(&c, ops, yes[i]), BYTES_LITERAL("tidy.sh")), "%s", yes[i]);
        case_release(&c);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        ck_assert_msg(!script_runs_file(shell_case(&c, ops, no[i]), BYTES_LITERAL("tidy.sh")), "%s", no[i]);
        case_release(&c);
    }
    ops_free(ops);
}
END_TEST

START_TEST(heartbeats)
{
    static const struct {
        const char *script;
        double every_s; /* 0: it is none */
    } loops[] = {
        {"while :; do echo a; sleep 0.05; done", 0.05},
        {"while true; do echo a >> f; sleep 2; done", 2},
        {"for i in $(seq 600); do echo a; sleep 0.1; done", 0.1},
        {"for i in $(seq 1200); do echo a; sleep 0.05; done | tee -a f", 0.05},
        {"for i in $(seq 20); do echo a; sleep 0.1; done", 0}, /* over before a limit may be */
        {"for i in $(seq 1 600); do echo a; sleep 0.1; done", 0},
        {"for i in $(seq 600); do echo $i; sleep 0.1; done", 0},
        {"for i in $(seq 600); do echo a; sleep 0.1; done | grep a", 0},
        {"for i in $(seq 600); do seq 200; sleep 0.1; done", 0},
    };
    struct ops *ops = oracle_ops();
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct execution_case c;
        double every_s = 0;
        bool is = heartbeat_of(shell_case(&c, ops, loops[i].script), &every_s);
        ck_assert_msg(is == (loops[i].every_s > 0) && (!is || every_s == loops[i].every_s), "%s: %d, %g s", loops[i].script, is,
                      every_s);
        case_release(&c);
    }
    ops_free(ops);
}
END_TEST

START_TEST(makes_no_file)
{
    static const char *const nothing[] = {"while :; do sleep 0.1; done", "for i in $(seq 600); do sleep 0.1; done",
                                          "trap '' TERM INT HUP\nfor i in $(seq 600); do sleep 0.1; done\n"};
    static const char *const something[] = {"for i in $(seq 600); do touch a; done", "for i in 1 2; do echo a > f; done",
                                            "for i in $(make list); do echo a; done"};
    struct ops *ops = oracle_ops();
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing + sizeof something / sizeof *something; i++) {
        bool makes = i >= sizeof nothing / sizeof *nothing;
        const char *script = makes ? something[i - sizeof nothing / sizeof *nothing] : nothing[i];
        struct execution_case c;
        ck_assert_msg(script_makes_nothing(shell_case(&c, ops, script)) == !makes, "%s", script);
        case_release(&c);
    }
    ops_free(ops);
}
END_TEST

START_TEST(paths)
{
    static const struct {
        const char *a, *b;
        bool same;
    } pairs[] = {
        {"a/b", "a/b", true}, {"./a//b/", "a/b", true}, {"a/./b", "a/b", true}, {"", ".", true},
        {"a", "b", false},    {"a/b", "a", false},      {"/a", "a", false},     {"a/../a", "a", false},
        {"..", ".", false},   {"", "", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct bytes a = bytes_of_string(pairs[i].a), b = bytes_of_string(pairs[i].b);
        ck_assert_msg(path_same(a, b) == pairs[i].same && path_same(b, a) == pairs[i].same, "%s %s",
                      pairs[i].a, pairs[i].b);
    }
    ASSERT_BYTES(path_name(BYTES_LITERAL("a/b/c.txt")), "c.txt");
    ASSERT_BYTES(path_name(BYTES_LITERAL("a/b/./")), "b");
    ASSERT_BYTES(path_name(BYTES_LITERAL("./")), "");
    ck_assert(path_has_nul(BYTES_LITERAL("a\0b")) && !path_has_nul(BYTES_LITERAL("ab")) &&
              !path_has_nul(BYTES_NONE));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, traits);
    tcase_add_test(tests, other_languages);
    tcase_add_test(tests, background_words);
    tcase_add_test(tests, files_that_are_run);
    tcase_add_test(tests, heartbeats);
    tcase_add_test(tests, makes_no_file);
    tcase_add_test(tests, paths);
}

int main(void)
{
    return unit_main("script", fill);
}
