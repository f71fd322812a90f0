/* exec/target/mcp_era: which era a server speaks, whatever it makes of being asked (tests/data/mcp/era_fake.py). */
#include <stdlib.h>

#include "session_fixture.h"
#include "unit.h"

static struct session_fixture f;
static char log_path[] = "/tmp/taskgen-era-XXXXXX";
static struct error *err;

static void set_up(void)
{
    session_set_up(&f);
    memcpy(log_path + sizeof log_path - 7, "XXXXXX", 6);
    int fd = mkstemp(log_path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    err = NULL;
}

static void tear_down(void)
{
    session_tear_down(&f);
    unlink(log_path);
    error_free(err);
}

static int try_to_begin(const char *mode, enum target_era era)
{
    struct target_options o = {
        .spec = arena_printf(&f.arena, "mcp:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/era_fake.py %s %s", mode, log_path),
        .settings = &f.settings, .ops = f.ops, .era = era, .no_box = true};
    ck_assert_int_eq(settings_set(&f.settings, "exec.era-timeout", "700ms", &err), 0);
    ck_assert_int_eq(settings_set(&f.settings, "exec.grace", "100ms", &err), 0);
    ck_assert_int_eq(target_new(&o, &f.target, &err), 0);
    return session_open(f.target, &f.session, &err);
}

/* What the server was asked for, from each start on: "start server/discover tools/list". */
static const char *asked(void)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    ck_assert_int_eq(fs_read(log_path, 1 << 16, &text, &err), 0);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\n')
            text.data[i] = ' ';
    const char *copy = arena_string(&f.arena, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

#define OLD "initialize notifications/initialized tools/list "

static const struct {
    const char *mode;
    enum target_era era;
    const char *identity, *asked; /* identity NULL: the error's words */
    const char *error;
} rows[] = {
    /* One more question than an old server would have been asked, and only what it says matters. */
    {"unknown", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"invalid", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"params", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"custom", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"internal", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"empty", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"odd", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"lists-old", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    {"refuses-all-but-old", TARGET_ERA_AUTO, "old 1", "start server/discover " OLD, NULL},
    /* The question spoils the server: it is started again, and greeted first. */
    {"null-id", TARGET_ERA_AUTO, "old 1", "start server/discover start " OLD, NULL},
    {"not-json", TARGET_ERA_AUTO, "old 1", "start server/discover start " OLD, NULL},
    {"silent", TARGET_ERA_AUTO, "old 1", "start server/discover start " OLD, NULL},
    {"hangs", TARGET_ERA_AUTO, "old 1", "start server/discover start " OLD, NULL},
    {"dies", TARGET_ERA_AUTO, "old 1", "start server/discover start " OLD, NULL},
    {"closes", TARGET_ERA_AUTO, "old 1", "start server/discover start " OLD, NULL},
    {"spoiled", TARGET_ERA_AUTO, "old 1", "start server/discover initialize start " OLD, NULL},
    /* The stateless era. */
    {"modern", TARGET_ERA_AUTO, "new 2", "start server/discover tools/list ", NULL},
    {"dual", TARGET_ERA_AUTO, "new 2", "start server/discover tools/list ", NULL},
    {"needs-capability", TARGET_ERA_AUTO, "? ?", "start server/discover tools/list ", NULL},
    {"modern", TARGET_ERA_MODERN, "new 2", "start server/discover tools/list ", NULL},
    {"dual", TARGET_ERA_OLD, "old 1", "start " OLD, NULL},
    {"hangs", TARGET_ERA_OLD, "old 1", "start " OLD, NULL},
    {"lists-future", TARGET_ERA_AUTO, NULL, "start server/discover ", "speaks protocol versions [\"2030-01-01\"], expected 2026-07-28"},
    {"refuses-what-we-speak", TARGET_ERA_AUTO, NULL, "start server/discover ", "speaks protocol versions [\"2030-01-01\"]"},
    {"unknown", TARGET_ERA_MODERN, NULL, "start server/discover ", "refused server/discover: no"},
    {"dies", TARGET_ERA_MODERN, NULL, "start server/discover ", "ended with status 4 before it answered server/discover"},
    {"empty", TARGET_ERA_MODERN, NULL, "start server/discover ", "its answer to server/discover names no supportedVersions"},
    {"modern", TARGET_ERA_OLD, NULL, "start initialize ", "refused initialize: no handshake here"},
};

START_TEST(meets)
{
    int status = try_to_begin(rows[_i].mode, rows[_i].era);
    if (!rows[_i].identity) {
        ck_assert_int_eq(status, ERR_TARGET);
        ck_assert_msg(strstr(err->text, rows[_i].error), "%s: %s", rows[_i].mode, err->text);
        f.session = NULL;
    } else {
        ck_assert_msg(status == 0, "%s: %s", rows[_i].mode, err ? err->text : "");
        bool modern = *rows[_i].identity != 'o';
        ck_assert_str_eq(target_identity(f.target),
                         arena_printf(&f.arena, "mcp %s (1 tool, protocol %s era)", rows[_i].identity,
                                      modern ? "2026-07-28, modern" : "2025-06-18, old"));
        const struct wire_event *events;
        ck_assert_uint_eq(session_wire_events(f.session, &events), 0); /* the question left no trace */
    }
    ck_assert_msg(strcmp(asked(), rows[_i].asked) == 0, "%s: asked %s", rows[_i].mode, asked());
}
END_TEST

/* A second session begins as the first one went. */
START_TEST(is_remembered)
{
    static const char *const modes[] = {"unknown", "hangs", "modern"};
    static const char *const first[] = {"start server/discover " OLD, "start server/discover start " OLD,
                                        "start server/discover tools/list "};
    ck_assert_int_eq(try_to_begin(modes[_i], TARGET_ERA_AUTO), 0);
    session_close(f.session);
    ck_assert_int_eq(session_open(f.target, &f.session, &err), 0);
    ck_assert_str_eq(asked(), arena_printf(&f.arena, "%s%s", first[_i],
                                           _i == 2 ? "start server/discover tools/list " : "start " OLD));
}
END_TEST

/* A server that only speaks the stateless era, and is late: greeted after all, it refuses, and is asked once more. */
START_TEST(is_slow)
{
    ck_assert_int_eq(try_to_begin("slow-modern", TARGET_ERA_AUTO), 0);
    ck_assert_str_eq(target_identity(f.target), "mcp new 2 (1 tool, protocol 2026-07-28, modern era)");
    ck_assert_str_eq(asked(), "start server/discover start initialize server/discover tools/list ");
}
END_TEST

/* What a server writes unasked is its own, and stays; what it writes about the question is not held against it. */
START_TEST(strays)
{
    const struct wire_event *events;
    ck_assert_int_eq(try_to_begin(_i ? "logs" : "banner", TARGET_ERA_AUTO), 0);
    ck_assert_uint_eq(session_wire_events(f.session, &events), _i ? 0 : 1);
    ck_assert_str_eq(asked(), "start server/discover " OLD);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, meets, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tests, is_remembered, 0, 3);
    tcase_add_test(tests, is_slow);
    tcase_add_loop_test(tests, strays, 0, 2);
}

int main(void)
{
    return unit_main("mcp_era", fill);
}
