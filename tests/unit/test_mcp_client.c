/* exec/target/mcp_client and mcp_handshake against a server that misbehaves
 * (tests/data/mcp/fake_server.py): whatever it does, each request comes to an end, in time, with what
 * really happened. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/subprocess.h"
#include "exec/target/mcp_handshake.h"
#include "mcp_case.h"

enum { MAX_LINE = 2 << 20, GRACE_MS = 300, QUIET_MS = 200 };

static struct subprocess process;
static struct mcp_client *client;
static struct arena arena;

static int ended(void *context, int *status)
{
    struct subprocess *p = context;
    return subprocess_wait(p, 0, status);
}

static int64_t stop_at_ns; /* 0: never */

static bool stopped(void *context)
{
    return stop_at_ns && clock_monotonic_ns() >= stop_at_ns;
}

static void start(const char *mode)
{
    const char *argv[] = {"/usr/bin/python3", MCP_DATA "fake_server.py", mode, NULL};
    struct subprocess_options options = {
        .argv = argv, .keep_fd = -1, .pipe_in = true, .pipe_out = true, .pipe_err = true};
    struct error *err = NULL;
    ck_assert_msg(subprocess_start(&process, &options, &err) == 0, "%s", err ? err->text : "");
    int *ends[] = {&process.in, &process.out, &process.err};
    struct mcp_peer peer = {.ended = ended, .stopped = stopped, .context = &process};
    struct mcp_limits limits = {.max_line = MAX_LINE, .grace_ms = GRACE_MS, .quiet_ms = QUIET_MS};
    for (int i = 0; i < 3; i++)
        fcntl(*ends[i], F_SETFL, fcntl(*ends[i], F_GETFL) | O_NONBLOCK);
    peer.in = process.in;
    peer.out = process.out;
    peer.err = process.err;
    process.in = process.out = process.err = -1;
    client = mcp_client_new(&peer, &limits);
    arena_init(&arena);
}

static void stop(void)
{
    mcp_client_free(client);
    subprocess_release(&process);
    arena_release(&arena);
}

static struct mcp_exchange call(const char *tool, const char *text, int64_t timeout_ms)
{
    const char *params = arena_printf(&arena, "{\"name\":\"%s\",\"arguments\":{\"text\":\"%s\"}}", tool,
                                      text);
    return (struct mcp_exchange){.method = "tools/call",
                                 .params = bytes_of_string(params),
                                 .timeout_ms = timeout_ms,
                                 .cancel_after_ms = -1,
                                 .arena = &arena};
}

static struct bytes text_of(const struct mcp_exchange *x)
{
    return json_as_text(json_pointer(x->reply, BYTES_LITERAL("/result/content/0/text")));
}

/* One call; checks that it ended within its time and some. */
static struct mcp_exchange one(const char *tool, int64_t timeout_ms)
{
    struct mcp_exchange x = call(tool, "hi", timeout_ms);
    int64_t before = clock_monotonic_ns();
    mcp_client_exchange(client, &x, 1);
    int64_t ms = (clock_monotonic_ns() - before) / 1000000;
    ck_assert_msg(ms < timeout_ms + 2000, "%s took %lld ms", tool, (long long)ms);
    return x;
}

static size_t events(enum wire_kind kind)
{
    const struct wire_event *list;
    size_t count = mcp_client_events(client, &list), found = 0;
    for (size_t i = 0; i < count; i++)
        found += list[i].kind == kind;
    return found;
}

static void check_alive(void)
{
    struct mcp_exchange x = one("echo", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ASSERT_BYTES(text_of(&x), "hi");
    ck_assert_uint_eq(x.replies, 1);
}

START_TEST(echo)
{
    start("normal");
    struct mcp_exchange x = one("echo", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ASSERT_BYTES(text_of(&x), "hi");
    ck_assert_uint_eq(x.replies, 1);
    ck_assert_uint_eq(x.sent, x.length);
    ck_assert_uint_gt(x.received, 50);
    ck_assert_int_eq(x.id, 1);
    const struct wire_event *list;
    ck_assert_uint_eq(mcp_client_events(client, &list), 0);
    stop();
}
END_TEST

START_TEST(answers_in_any_order)
{
    start("normal");
    struct mcp_exchange x[4];
    for (int i = 0; i < 4; i++)
        x[i] = call("swap", (const char *[]){"a", "b", "c", "d"}[i], 20000);
    mcp_client_exchange(client, x, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(x[i].state, MCP_ANSWERED);
        ck_assert_int_eq(text_of(&x[i]).data[0], 'a' + i);
    }
    stop();
}
END_TEST

START_TEST(dies)
{
    start("normal");
    struct mcp_exchange x = one("die", 20000);
    ck_assert_int_eq(x.state, MCP_DIED);
    ck_assert(WIFEXITED(mcp_client_status(client)) && WEXITSTATUS(mcp_client_status(client)) == 7);
    ASSERT_BYTES(mcp_client_stderr(client), "first line\nlast words\n");
    ck_assert(!mcp_client_alive(client));
    x = one("echo", 20000); /* and stays dead */
    ck_assert_int_eq(x.state, MCP_DIED);
    ck_assert_uint_eq(x.sent, 0);
    stop();
}
END_TEST

START_TEST(is_killed)
{
    start("normal");
    ck_assert_int_eq(one("killed", 20000).state, MCP_DIED);
    ck_assert(WIFSIGNALED(mcp_client_status(client)));
    stop();
}
END_TEST

START_TEST(answers_and_dies)
{
    start("normal");
    struct mcp_exchange x = one("answer-and-die", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ASSERT_BYTES(text_of(&x), "farewell");
    stop();
}
END_TEST

START_TEST(doubles)
{
    start("normal");
    struct mcp_exchange x = one("double", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ASSERT_BYTES(text_of(&x), "one");
    check_alive(); /* by now the second one is there too */
    ck_assert_uint_eq(events(WIRE_DOUBLE_REPLY), 1);
    ck_assert_uint_eq(mcp_client_counts(client)->doubled, 1);
    stop();
}
END_TEST

START_TEST(unknown_ids)
{
    start("normal");
    ck_assert_int_eq(one("unknown-id", 20000).state, MCP_ANSWERED);
    ck_assert_uint_eq(events(WIRE_UNKNOWN_ID), 2);
    stop();
}
END_TEST

START_TEST(strays)
{
    start("normal");
    ck_assert_int_eq(one("stray", 20000).state, MCP_ANSWERED);
    const struct wire_event *list;
    ck_assert_uint_eq(mcp_client_events(client, &list), 2);
    ck_assert_int_eq(list[0].kind, WIRE_STRAY_LINE);
    ASSERT_BYTES(list[0].text, "Server is running");
    ASSERT_BYTES(list[1].text, "");
    ck_assert_uint_eq(mcp_client_events(client, &list), 0); /* each is told once */
    stop();
}
END_TEST

/* 16 MiB without a newline: one line with the reply at its end, too long to be read. */
START_TEST(floods)
{
    start("normal");
    struct mcp_exchange x = one("flood", 3000);
    ck_assert_int_eq(x.state, MCP_TIMEOUT); /* the reply has no line of its own */
    ck_assert_uint_eq(mcp_client_counts(client)->too_long, 1);
    check_alive();
    x = one("flood-and-newline", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert_uint_eq(mcp_client_counts(client)->too_long, 2);
    stop();
}
END_TEST

START_TEST(replies_too_long)
{
    start("normal");
    struct mcp_exchange x = one("huge", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert(x.too_long);
    ck_assert_ptr_null(x.reply);
    ck_assert_uint_gt(x.received, 3000000);
    check_alive();
    stop();
}
END_TEST

START_TEST(more_values_than_memory)
{
    start("normal");
    struct mcp_exchange x = one("commas", 30000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert(x.too_long);
    ck_assert_ptr_null(x.reply);
    check_alive();
    stop();
}
END_TEST

START_TEST(silence)
{
    start("normal");
    struct mcp_exchange x[2] = {call("silent", "", 300), call("echo", "hi", 20000)};
    mcp_client_exchange(client, x, 2);
    ck_assert_int_eq(x[0].state, MCP_TIMEOUT);
    ck_assert_int_ge(x[0].end_ns - x[0].start_ns, 300000000);
    ck_assert_int_eq(x[1].state, MCP_ANSWERED);
    check_alive();
    stop();
}
END_TEST

/* A cancelled request is told to the server; its reply is late, neither unknown nor double. */
START_TEST(late_replies)
{
    start("normal");
    ck_assert_int_eq(one("late", 200).state, MCP_TIMEOUT);
    clock_sleep_ms(300);
    check_alive();
    ck_assert_uint_eq(mcp_client_counts(client)->late, 1);
    const struct wire_event *list;
    ck_assert_uint_eq(mcp_client_events(client, &list), 0);
    stop();
}
END_TEST

START_TEST(cancelled_early)
{
    start("normal");
    struct mcp_exchange x = call("silent", "", 20000);
    x.cancel_after_ms = 100;
    mcp_client_exchange(client, &x, 1);
    ck_assert_int_eq(x.state, MCP_TIMEOUT);
    ck_assert(x.cancelled);
    ck_assert_int_lt(x.end_ns - x.start_ns,
                     INT64_C(5000000000)); /* no server need answer it: not the whole deadline */
    x = call("late", "", 20000);
    x.cancel_after_ms = 100;
    mcp_client_exchange(client, &x, 1); /* this server answers all the same */
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert(x.cancelled);
    ASSERT_BYTES(text_of(&x), "too late");
    stop();
}
END_TEST

START_TEST(stopped_by_us)
{
    start("normal");
    struct mcp_exchange x[2] = {call("silent", "", 60000), call("silent", "", 60000)};
    stop_at_ns = clock_monotonic_ns() + 300000000;
    mcp_client_exchange(client, x, 2);
    ck_assert_int_eq(x[0].state, MCP_STOPPED);
    ck_assert_int_eq(x[1].state, MCP_STOPPED);
    ck_assert_int_lt(clock_monotonic_ns() - stop_at_ns, INT64_C(2000000000));
    stop();
}
END_TEST

START_TEST(bad_messages)
{
    static const struct {
        const char *tool;
        enum wire_kind kind;
    } tools[] = {{"bad-utf8", WIRE_BREACH},
                 {"no-version", WIRE_BREACH},
                 {"neither", WIRE_BREACH},
                 {"broken", WIRE_BAD_MESSAGE}};
    start("normal");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        struct mcp_exchange x = one(tools[i].tool, 20000);
        ck_assert_msg(x.state == MCP_ANSWERED, "%s", tools[i].tool);
        ck_assert_msg(events(tools[i].kind) == 1, "%s", tools[i].tool);
    }
    check_alive();
    stop();
}
END_TEST

/* A line nested as deep as we read, and then the same reply again. */
START_TEST(deep)
{
    start("normal");
    struct mcp_exchange x = one("deep", 30000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    check_alive();
    stop();
}
END_TEST

START_TEST(server_requests)
{
    start("normal");
    struct mcp_exchange x = one("asks", 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ASSERT_BYTES(
        text_of(&x),
        "{\"jsonrpc\":\"2.0\",\"id\":\"p1\",\"result\":{}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
    const struct wire_event *list;
    size_t count = mcp_client_events(client, &list), unoffered = 0;
    bool without_id = false, asks = false;
    for (size_t i = 0; i < count; i++) {
        unoffered += list[i].kind == WIRE_UNOFFERED_REQUEST;
        without_id = without_id || list[i].duty == 2; /* the ping */
        asks = asks || list[i].duty == 17;
    }
    ck_assert_uint_eq(unoffered, 1);
    ck_assert(without_id && asks);
    ck_assert_uint_eq(mcp_client_counts(client)->notifications, 1);
    stop();
}
END_TEST

START_TEST(output_closed)
{
    start("normal");
    struct mcp_exchange x = one("close-stdout", 20000);
    ck_assert_int_eq(x.state, MCP_CUT);
    ck_assert(mcp_client_alive(client));
    ck_assert_int_eq(one("echo", 20000).state, MCP_CUT);
    stop();
}
END_TEST

/* Writing to a pipe that nobody reads any more must not end us, whatever SIGPIPE does. */
START_TEST(input_closed)
{
    signal(SIGPIPE, SIG_DFL);
    start("normal");
    ck_assert_int_eq(one("close-stdin", 300).state, MCP_TIMEOUT);
    ck_assert_int_eq(one("echo", 20000).state, MCP_CUT);
    stop();
}
END_TEST

/* The server writes 9 MB before it reads, while we have 8 MB for it: nobody may wait for the other. */
START_TEST(both_directions_full)
{
    start("normal");
    size_t size = 8 << 20;
    char *text = arena_alloc(&arena, size + 1);
    memset(text, 'w', size);
    struct mcp_exchange x[2] = {call("unread", "", 50000), call("echo", text, 50000)};
    mcp_client_exchange(client, x, 2);
    ck_assert_int_eq(x[0].state, MCP_ANSWERED);
    ck_assert_int_eq(x[1].state, MCP_ANSWERED);
    ck_assert(x[1].too_long || text_of(&x[1]).len == size);
    ck_assert_uint_eq(mcp_client_counts(client)->notifications, 20000);
    stop();
}
END_TEST

START_TEST(chatter_on_stderr)
{
    start("normal");
    ck_assert_int_eq(one("chatter", 20000).state, MCP_ANSWERED);
    check_alive();
    struct bytes tail = mcp_client_stderr(client);
    ck_assert_uint_eq(tail.len, 4096);
    ck_assert(bytes_ends(tail, BYTES_LITERAL("eee\nthe end\n")));
    stop();
}
END_TEST

static struct mcp_exchange raw(struct bytes bytes, int64_t timeout_ms)
{
    struct mcp_exchange x = {.raw = bytes, .timeout_ms = timeout_ms, .cancel_after_ms = -1, .arena = &arena};
    mcp_client_exchange(client, &x, 1);
    return x;
}

START_TEST(raw_bytes)
{
    start("normal");
    /* A request of its own is answered, and known to be. */
    struct mcp_exchange x = raw(BYTES_LITERAL("{\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"method\":\"x\"}\n"),
                                20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert_uint_eq(x.replies, 1);
    ck_assert_int_ge(bytes_find(x.lines, BYTES_LITERAL("raw"), 0), 0);
    /* So is what is no JSON, with an id that is null. */
    x = raw(BYTES_LITERAL("{\"id\":\n"), 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert_uint_eq(x.replies, 1);
    ck_assert_int_ge(bytes_find(x.lines, BYTES_LITERAL("-32700"), 0), 0);
    const struct wire_event *list;
    ck_assert_uint_eq(mcp_client_events(client, &list), 0);
    /* Half a line asks for nothing: it is given a moment. The rest of it comes later. */
    x = raw(BYTES_LITERAL("{\"jsonrpc\":\"2.0\","), 20000);
    ck_assert_int_eq(x.state, MCP_ANSWERED);
    ck_assert_uint_eq(x.replies, 0);
    ck_assert_int_ge(x.end_ns - x.start_ns, QUIET_MS * 1000000);
    raw(BYTES_LITERAL("\"method\":\"notifications/x\"}\n"), 20000);
    /* A request that is not answered. */
    x = raw(
        BYTES_LITERAL(
            "{\"jsonrpc\":\"2.0\",\"id\":5000,\"method\":\"tools/call\",\"params\":{\"name\":\"silent\"}}\n"),
        300);
    ck_assert_int_eq(x.state, MCP_TIMEOUT);
    check_alive();
    ck_assert_uint_eq(mcp_client_events(client, &list), 0);
    stop();
}
END_TEST

START_TEST(finishes)
{
    start("normal");
    check_alive();
    ck_assert(mcp_client_finish(client, 20000));
    ck_assert_int_eq(mcp_client_status(client), 0);
    stop();
    start("normal");
    one("close-stdout", 400);
    ck_assert(!mcp_client_finish(client, 300)); /* it sleeps: killing is for others */
    stop();
}
END_TEST

/* --- the handshake --- */

static const struct {
    const char *mode, *error; /* NULL: it goes well */
    size_t tools;
} handshakes[] = {
    {"normal", NULL, 1},
    {"banner", NULL, 1},
    {"pages", NULL, 5},
    {"endless", NULL, 256},
    {"circle", NULL, 2},
    {"no-tools", NULL, 0},
    {"die",
     "server: ended with status 3 before it answered initialize; its last words: "
     "ModuleNotFoundError: no such module",
     0},
    {"garbage",
     "server: no answer to initialize within 700 ms; instead of a message it wrote: Welcome to the server",
     0},
    {"mute", "server: no answer to initialize within 700 ms, nor anything else (exec.start-timeout is how long is waited)", 0},
    {"close", "server: closed its standard output before it answered initialize", 0},
    {"refuse", "server: refused initialize: not today", 0},
    {"old", "server: speaks protocol version '1999-01-01', expected 2024-11-05 to 2025-11-25", 0},
    {"odd-tools", "server: its answer to tools/list has no array of tools", 0},
};

START_TEST(handshake)
{
    struct mcp_server server;
    struct error *err = NULL;
    bool waits = strcmp(handshakes[_i].mode, "garbage") == 0 || strcmp(handshakes[_i].mode, "mute") == 0;
    start(handshakes[_i].mode);
    mcp_server_init(&server);
    int status = mcp_handshake(client, waits ? 700 : 20000, "server", &server, &err);
    if (handshakes[_i].error) {
        ck_assert_int_eq(status, ERR_TARGET);
        ck_assert_str_eq(err->text, handshakes[_i].error);
        error_free(err);
    } else {
        ck_assert_msg(status == 0, "%s", err ? err->text : "");
        ck_assert_str_eq(server.name, "fake?[31m"); /* nothing that a terminal obeys */
        ck_assert_uint_eq(server.tools.count, handshakes[_i].tools);
        check_alive();
    }
    mcp_server_release(&server);
    stop();
}
END_TEST

static void fill(TCase *tests)
{
    const TTest *const all[] = {
        echo,
        answers_in_any_order,
        dies,
        is_killed,
        answers_and_dies,
        doubles,
        unknown_ids,
        strays,
        floods,
        replies_too_long,
        more_values_than_memory,
        silence,
        late_replies,
        cancelled_early,
        stopped_by_us,
        bad_messages,
        deep,
        server_requests,
        output_closed,
        input_closed,
        both_directions_full,
        chatter_on_stderr,
        raw_bytes,
        finishes,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tcase_add_test(tests, all[i]);
    tcase_add_loop_test(tests, handshake, 0, sizeof handshakes / sizeof *handshakes);
}

int main(void)
{
    return unit_main("mcp_client", fill);
}
