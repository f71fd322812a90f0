/* exec/target/mcp_fault, mcp_fault_call: calls with a mutation, against a server that reads frames by the letter, over lines and over
 * HTTP. What is sent, which answers are counted, who ended what, and that a plain call works afterwards. */
#include "base/clock.h"
#include "session_fixture.h"
#include "unit.h"

#define SERVER "/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/frame_server.py"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
    ck_assert_int_eq(settings_set(&f.settings, "exec.grace", "1s", NULL), 0);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

static void begin(const char *how)
{
    static const struct {
        const char *how, *spec, *start;
    } rows[] = {{"lines", "mcp:" SERVER, NULL},
                {"sloppy", "mcp:" SERVER " sloppy", NULL},
                {"http", "http://127.0.0.1:{port}/mcp", SERVER " {port}"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].how, how) != 0)
            continue;
        struct target_options o = {.spec = rows[i].spec, .start = rows[i].start, .settings = &f.settings, .ops = f.ops};
        struct error *err = NULL;
        ck_assert_msg(target_new(&o, &f.target, &err) == 0, "%s", err ? err->text : "");
        session_begin(&f);
    }
}

static const struct outcome *mutated(const char *mutator, const char *kind, const char *tool, const char *text)
{
    struct wire_mutation m = {mutator, kind};
    const char *args = arena_printf(&f.arena, "{\"name\":\"%s\",\"arguments\":{\"text\":\"%s\"}}", tool, text);
    f.call = fixture_call(&f, "call", fixture_json(&f, args));
    f.call.timeout_ms = 8000;
    f.call.mutation = mutator ? &m : NULL;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    return &f.call.outcome;
}

static void check_goes_on(void)
{
    const struct outcome *o = mutated(NULL, NULL, "echo", "still here");
    ck_assert_msg(o->class == OUTCOME_OK, "%s", said_words(&f));
    ck_assert_ptr_null(o->fault);
    ck_assert_int_ge(bytes_find(o->raw, BYTES_LITERAL("still here"), 0), 0);
}

/* What comes of each, where messages are lines and where they are bodies; "" for a kind that cannot be sent so. */
static const struct {
    const char *mutator, *kind, *lines, *http;
    unsigned replies, nulls;
} cases[] = {
    {"bad-utf8", "ff-in-string", "protocol-error", "protocol-error", 0, 1},
    {"bad-utf8", "truncated-at-end", "protocol-error", "protocol-error", 0, 1},
    {"embedded-newline", "lf-between-tokens", "protocol-error", "ok", 0, 1},
    {"embedded-newline", "cr-between-tokens", "ok", "ok", 1, 0},
    {"embedded-newline", "crlf-at-end", "ok", "ok", 1, 0},
    {"split-frame", "byte-by-byte", "ok", "ok", 1, 0},
    {"split-frame", "in-character", "ok", "ok", 1, 0},
    {"split-frame", "two-in-one", "ok", "", 2, 0},
    {"oversize-frame", "1m-plus-1", "ok", "ok", 1, 0},
    {"duplicate-key", "id", "ok", "ok", 1, 0},
    {"id-type", "null", "protocol-error", "protocol-error", 0, 1},
    {"id-type", "float", "ok", "ok", 1, 0},
    {"id-type", "2-to-53-plus-1", "ok", "ok", 1, 0},
    {"id-type", "string", "ok", "ok", 1, 0},
    {"id-type", "long-string", "ok", "ok", 1, 0},
    {"id-type", "twin", "ok", "", 2, 0},
    {"missing-field", "jsonrpc", "protocol-error", "protocol-error", 1, 0},
    {"missing-field", "id", "ok", "ok", 0, 0},
    {"missing-field", "params-array", "protocol-error", "protocol-error", 1, 0},
    {"batch", "two", "protocol-error", "protocol-error", 0, 1},
    {"bom", "nul", "protocol-error", "protocol-error", 0, 1},
    {"bom", "utf-16", "protocol-error", "protocol-error", 0, 1},
    {"unknown-version", "jsonrpc-3", "protocol-error", "protocol-error", 1, 0},
    {"unknown-version", "initialize", "ok", "ok", 1, 0},
    {"no-newline-flood", "spaces", "ok", "ok", 1, 0},
    {"slow-reader", "short", "ok", "ok", 0, 0},
    {"stop-server", "short", "ok", "ok", 0, 0},
};

static void check_case(size_t i, const char *class, bool http)
{
    const struct outcome *o = mutated(cases[i].mutator, cases[i].kind, "echo", "hi \\u00e9");
    const struct outcome_fault *t = o->fault;
    const char *name = arena_printf(&f.arena, "%s %s%s", cases[i].mutator, cases[i].kind, http ? " over http" : "");
    ck_assert_ptr_nonnull(t);
    ck_assert_str_eq(t->kind, cases[i].kind);
    ck_assert_msg(t->applied == (*class != '\0'), "%s", name);
    ck_assert_msg(strcmp(outcome_class_name(o->class), *class ? class : "ok") == 0, "%s: %s", name, said_words(&f));
    ck_assert(!o->by_us && !o->gone);
    if (!http)
        ck_assert_msg(t->replies == cases[i].replies && t->nulls >= cases[i].nulls, "%s: %u %u", name, t->replies, t->nulls);
    check_goes_on();
}

START_TEST(frames_over_lines)
{
    begin("lines");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(i, cases[i].lines, false);
    const struct wire_event *events;
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
}
END_TEST

START_TEST(frames_over_http)
{
    begin("http");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(i, cases[i].http, true);
}
END_TEST

/* What is dropped without a word ends soon where nobody would carry it out, and says so. */
START_TEST(dropped)
{
    begin("sloppy");
    const struct outcome *o = mutated("missing-field", "jsonrpc", "echo", "x");
    ck_assert_int_eq(o->class, OUTCOME_TIMEOUT);
    ck_assert(o->fault->inert && !o->fault->lawful && o->fault->owed == 1 && o->fault->replies == 0);
    ck_assert_int_lt(o->ns, INT64_C(6000000000));
    o = mutated("bad-utf8", "ff-in-key", "echo", "x");
    ck_assert_int_eq(o->class, OUTCOME_OK); /* nothing was owed */
    ck_assert(o->fault->owed == 0 && o->fault->nulls == 0);
    check_goes_on();
}
END_TEST

static const struct {
    const char *how, *mutator, *kind;
    bool gone;
} ends[] = {
    {"lines", "early-close", "half-frame", true},  {"lines", "early-close", "before-reply", true},
    {"lines", "early-close", "broken", true},      {"lines", "early-close", "half-broken", true},
    {"http", "early-close", "half-frame", false},  {"http", "early-close", "half-broken", false},
    {"lines", "kill-server", "at-once", true},     {"http", "kill-server", "at-once", true},
};

/* The end is ours, the session says whether it is over, and opened again it works. */
START_TEST(ended_by_us)
{
    begin(ends[_i].how);
    check_goes_on();
    const struct outcome *o = mutated(ends[_i].mutator, ends[_i].kind, "big", "3000000");
    ck_assert_msg(o->gone == ends[_i].gone, "%s", said_words(&f));
    ck_assert_msg(o->by_us || o->class == OUTCOME_OK, "%s", said_words(&f));
    ck_assert(o->fault->applied && o->fault->lawful);
    ck_assert(!o->gone || !session_alive(f.session));
    struct error *err = NULL;
    if (o->gone)
        ck_assert_msg(session_reopen(f.session, &err) == 0, "%s", err ? err->text : "");
    check_goes_on();
    if (!ends[_i].gone) {
        clock_sleep_ms(50);
        o = mutated(NULL, NULL, "count", "");
        ck_assert_msg(bytes_find(o->raw, BYTES_LITERAL("\"aborted\": 1"), 0) >= 0, "%.*s", BYTES_ARG(o->raw));
    }
}
END_TEST

/* A long answer waits for a reader that is slow, whole; the call has that much longer. */
START_TEST(slow_reading)
{
    static const char *const hows[] = {"lines", "http"};
    begin(hows[_i]);
    const struct outcome *o = mutated("slow-reader", "short", "big", "2000000");
    ck_assert_msg(o->class == OUTCOME_OK, "%s", said_words(&f));
    ck_assert_uint_eq(o->raw.len, 2000000);
    ck_assert_int_ge(o->ns, INT64_C(290000000));
    ck_assert(o->fault->applied && o->fault->struck && !o->fault->frame);
}
END_TEST

/* The answer to the ping that goes along comes first; the call's own is the one that counts. */
START_TEST(own_answer_is_last)
{
    begin("lines");
    const struct outcome *o = mutated("split-frame", "two-in-one", "later", "its own words");
    ck_assert_msg(o->class == OUTCOME_OK, "%s", said_words(&f));
    ck_assert_uint_eq(o->fault->replies, 2);
    ck_assert_int_ge(bytes_find(o->raw, BYTES_LITERAL("its own words"), 0), 0);
}
END_TEST

START_TEST(budgets)
{
    ck_assert_int_eq(settings_set(&f.settings, "budget.bytes", "2M", NULL), 0);
    begin("lines");
    const struct outcome *o = mutated("oversize-frame", "1m", "echo", "x");
    ck_assert(o->class == OUTCOME_OK && o->fault->applied);
    ck_assert_uint_ge(o->bytes_in, 1 << 20);
    o = mutated("oversize-frame", "1m-plus-1", "echo", "x"); /* no room any more: it goes as it is */
    ck_assert(o->class == OUTCOME_OK && !o->fault->applied && !o->fault->frame);
    ck_assert_uint_lt(o->bytes_in, 1000);
}
END_TEST

/* A target that does not speak the protocol is not touched. */
START_TEST(other_targets)
{
    session_new(&f, "exec:");
    struct wire_mutation m = {"bad-utf8", "ff-in-string"};
    f.call = fixture_call(&f, "run", fixture_json(&f, "{\"argv\":[\"echo\",\"hi\"]}"));
    f.call.mutation = &m;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_OK);
    ck_assert_ptr_nonnull(f.call.outcome.fault);
    ck_assert(!f.call.outcome.fault->applied);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, frames_over_lines);
    tcase_add_test(tests, frames_over_http);
    tcase_add_test(tests, dropped);
    tcase_add_loop_test(tests, ended_by_us, 0, sizeof ends / sizeof *ends);
    tcase_add_loop_test(tests, slow_reading, 0, 2);
    tcase_add_test(tests, own_answer_is_last);
    tcase_add_test(tests, budgets);
    tcase_add_test(tests, other_targets);
}

int main(void)
{
    return unit_main("mcp_fault", fill);
}
