/* The duties, by conversations: tests/data/duty/NN-*.jsonl, each of which breaks a duty and keeps it.
 * docs/duties.md is held to the table.
 *
 * A line is an object: {"about": …} begins a conversation; {"open": VERSION, "server": CAPABILITIES,
 * "client": CAPABILITIES} shakes hands; {"sent": METHOD, "id": N, "params": …, "pad": N bytes more}; {"got":
 * MESSAGE}, {"batch": [MESSAGE…]} or {"text": LINE} came;
 * {"raw": true}; {"answered": MESSAGE} by us; {"closed": BOOL}. Of the stateless era: {"modern": VERSION, …} instead of "open";
 * {"raw message": MESSAGE} over pipes; {"asked": MESSAGE, "version", "method", "name": HEADERS, "status": N, "answer": MESSAGE} over
 * HTTP; {"http": VERB, "status": N, "id": N, "session": ID}: what comes next came so; {"hung up": ID}: we closed that request's stream. "breaks": [[NUMBER, DETAIL]…] stands in the
 * line after which exactly these breaches are said; without it there are none. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/oracle/duty.h"
#include "oracle_case.h"

#define DUTY_DATA TASKGEN_SOURCE_DIR "/tests/data/duty"
#define PAGE      TASKGEN_SOURCE_DIR "/docs/duties.md"
#define BEGIN     "<!-- made by test_duty -->\n"

enum { SAID_MAX = 64, DUTIES = 100, LINE_MAX_BYTES = 4 << 20 };

static struct arena arena;
static struct {
    int number;
    const char *detail;
} said[SAID_MAX];
static size_t said_count;
static bool broken[DUTIES], kept[DUTIES]; /* by the conversations of the file that bears the number */

static void setup(void)
{
    arena_init(&arena);
}

static void teardown(void)
{
    arena_release(&arena);
}

static void note(void *context, int number, const char *detail, struct bytes text)
{
    (void)context;
    (void)text;
    ck_assert_uint_lt(said_count, SAID_MAX);
    ck_assert_ptr_nonnull(duty_find(number));
    said[said_count].number = number;
    said[said_count++].detail = arena_string(&arena, bytes_of_string(detail));
}

static struct json *read_text(struct bytes text, const char *where)
{
    struct json *value;
    struct error *err = NULL;
    struct json_options options = {.allow_bad_utf8 = true};
    ck_assert_msg(json_read(&arena, text, &options, where, &value, NULL, &err) == 0, "%s",
                  err ? err->text : "");
    return value;
}

static struct bytes text_of(const struct json *value)
{
    struct buf text;
    buf_init(&text, LINE_MAX_BYTES);
    if (value)
        json_write(&text, value, JSON_COMPACT);
    struct bytes copy = arena_copy(&arena, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static void shake_hands(struct duty_watch *w, const struct json *line)
{
    static const char hello[] = "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":%s,\"clientInfo\":{"
                                "\"name\":\"t\",\"version\":\"1\"}}";
    static const char answer[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":%s,"
        "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}";
    const struct json *client = json_get(line, "client"), *server = json_get(line, "server");
    const char *offered = client ? (const char *)text_of(client).data : "{}";
    const char *declared = server ? (const char *)text_of(server).data : "{\"tools\":{}}";
    const char *version = arena_string(&arena, json_get(line, "open")->text);
    duty_sent(w, "initialize", 1, bytes_of_string(arena_printf(&arena, hello, offered)));
    struct bytes text = bytes_of_string(arena_printf(&arena, answer, version, declared));
    duty_received(w, read_text(text, "answer"), text);
    duty_sent(w, "notifications/initialized", 0, BYTES_NONE);
}

/* The stateless era has no handshake; what the server declares comes as its answer to server/discover. */
static void begin_modern(struct duty_watch *w, const struct json *line)
{
    static const char answer[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"%s\"],"
        "\"capabilities\":%s,\"ttlMs\":0,\"cacheScope\":\"private\"}}";
    const struct json *client = json_get(line, "client"), *server = json_get(line, "server");
    const char *version = arena_string(&arena, json_get(line, "modern")->text);
    duty_modern(w, version, client ? (const char *)text_of(client).data : "{}");
    duty_sent(w, "server/discover", 1, BYTES_NONE);
    struct bytes text = bytes_of_string(
        arena_printf(&arena, answer, version, server ? (const char *)text_of(server).data : "{\"tools\":{}}"));
    duty_received(w, read_text(text, "answer"), text);
}

static const char *member_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, name);
    return value ? arena_string(&arena, value->text) : NULL;
}

/* Raw bytes over HTTP, and what came. */
static void ask_modern(struct duty_watch *w, const struct json *line)
{
    const struct json *asked = json_get(line, "asked"), *answer = json_get(line, "answer");
    int64_t status = 0;
    json_as_integer(json_get(line, "status"), &status);
    struct duty_modern_ask ask = {.message = asked, .version = member_of(line, "version"), .method = member_of(line, "method"),
                                  .name = member_of(line, "name"), .status = (int)status, .answer = answer, .text = text_of(answer)};
    duty_modern_asked(w, &ask);
}

static void play_http(struct duty_watch *w, const struct json *line)
{
    const struct json *one = json_get(line, "http");
    int64_t status = 0, id = 0;
    json_as_integer(json_get(line, "status"), &status);
    json_as_integer(json_get(line, "id"), &id);
    struct duty_http_exchange x = {.verb = bytes_equal_string(one->text, "GET")      ? DUTY_GET
                                           : bytes_equal_string(one->text, "DELETE") ? DUTY_DELETE
                                                                                     : DUTY_POST,
                                   .message = DUTY_REQUEST, .status = (int)status, .type = "application/json", .id = id};
    if (x.verb == DUTY_POST)
        duty_http_stream(w, &x);
    else
        duty_http(w, &x);
    if (json_get(line, "session"))
        duty_http_session(w, json_get(line, "session")->text);
}

static struct bytes params_of(const struct json *line)
{
    int64_t pad = 0;
    struct json *params = json_copy(&arena, json_get(line, "params"));
    if (params && json_as_integer(json_get(line, "pad"), &pad)) {
        uint8_t *filling = arena_alloc(&arena, (size_t)pad);
        memset(filling, 'x', (size_t)pad);
        json_set(&arena, params, "pad", json_string(&arena, bytes_of(filling, (size_t)pad)));
    }
    return text_of(params);
}

/* One line of a conversation; false: it begins the next one. */
static bool play(struct duty_watch *w, const struct json *line, const char *where)
{
    const struct json *one;
    int64_t id = 0;
    if (json_get(line, "open")) {
        shake_hands(w, line);
    } else if ((one = json_get(line, "sent"))) {
        json_as_integer(json_get(line, "id"), &id);
        duty_sent(w, arena_string(&arena, one->text), id, params_of(line));
    } else if ((one = json_get(line, "got"))) {
        struct bytes text = text_of(one);
        duty_received(w, read_text(text, where), text);
    } else if ((one = json_get(line, "text"))) {
        struct json *value;
        struct json_options options = {.allow_bad_utf8 = true};
        struct bytes text = oracle_bytes(&arena, one);
        if (json_read(&arena, text, &options, where, &value, NULL, NULL) == 0)
            duty_received(w, value, text);
        else
            duty_unread(w, text);
    } else if ((one = json_get(line, "batch"))) {
        struct bytes text = text_of(one);
        duty_batch(w, text);
        for (const struct json *message = read_text(text, where)->first; message; message = message->next)
            duty_received(w, message, text);
    } else if (json_get(line, "modern")) {
        begin_modern(w, line);
    } else if (json_get(line, "asked")) {
        ask_modern(w, line);
    } else if ((one = json_get(line, "hung up"))) {
        json_as_integer(one, &id);
        duty_hung_up(w, id);
    } else if (json_get(line, "http")) {
        play_http(w, line);
    } else if ((one = json_get(line, "raw message"))) {
        duty_raw_message(w, one);
        duty_raw(w);
    } else if (json_get(line, "raw")) {
        duty_raw(w);
    } else if ((one = json_get(line, "answered"))) {
        duty_answered(w, one);
    } else if ((one = json_get(line, "closed"))) {
        duty_closed(w, json_as_bool(one, false), BYTES_NONE);
    } else {
        return false;
    }
    return true;
}

static void compare(const struct json *wanted, const char *where)
{
    size_t count = wanted ? wanted->count : 0;
    for (size_t i = 0; i < said_count; i++)
        if (i >= count)
            ck_abort_msg("%s: says %d \"%s\", which is not expected", where, said[i].number, said[i].detail);
    ck_assert_msg(said_count == count, "%s: says %zu of %zu breaches", where, said_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct json *want = json_at(wanted, i);
        int64_t number = 0;
        json_as_integer(json_at(want, 0), &number);
        struct bytes detail = json_as_text(json_at(want, 1));
        ck_assert_msg(number == said[i].number && bytes_equal_string(detail, said[i].detail),
                      "%s: says %d \"%s\", expected %d \"%.*s\"", where, said[i].number, said[i].detail,
                      (int)number, BYTES_ARG(detail));
    }
}

/* Whether the file's duty was broken in the conversation that ends. */
static void settle(int number, bool begun, bool *broke)
{
    if (begun)
        (*broke ? broken : kept)[number] = true;
    *broke = false;
}

static void play_file(const char *path, int number)
{
    struct buf text;
    struct error *err = NULL;
    struct duty_watch *w = NULL;
    bool broke = false;
    buf_init(&text, LINE_MAX_BYTES);
    ck_assert_msg(fs_read(path, LINE_MAX_BYTES, &text, &err) == 0, "%s", err ? err->text : "");
    size_t row = 0;
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t newline = bytes_find(buf_bytes(&text), BYTES_LITERAL("\n"), at);
        ck_assert_msg(newline >= 0, "%s: the last line does not end", path);
        struct bytes one = arena_copy(&arena, bytes_slice(buf_bytes(&text), at, (size_t)newline));
        at = (size_t)newline + 1;
        const char *where = arena_printf(&arena, "%s:%zu", path, ++row);
        const struct json *line = read_text(one, where);
        said_count = 0;
        if (json_get(line, "about")) {
            settle(number, w != NULL, &broke);
            duty_watch_free(w);
            bool http = bytes_equal_string(json_as_text(json_get(line, "over")), "http");
            w = duty_watch_new(http ? DUTY_HTTP : DUTY_STDIO, note, NULL);
            continue;
        }
        ck_assert_msg(w && play(w, line, where), "%s: not a line of a conversation", where);
        for (size_t i = 0; i < said_count; i++)
            broke = broke || said[i].number == number;
        compare(json_get(line, "breaks"), where);
    }
    settle(number, w != NULL, &broke);
    duty_watch_free(w);
    buf_release(&text);
}

START_TEST(conversations)
{
    DIR *dir = opendir(DUTY_DATA);
    ck_assert_ptr_nonnull(dir);
    memset(broken, 0, sizeof broken);
    memset(kept, 0, sizeof kept);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        int number = (int)strtol(entry->d_name, NULL, 10);
        ck_assert_msg(duty_find(number) != NULL, "%s: no such duty", entry->d_name);
        play_file(arena_printf(&arena, DUTY_DATA "/%s", entry->d_name), number);
    }
    closedir(dir);
    for (size_t i = 0; duty_at(i); i++) {
        int number = duty_at(i)->number;
        if (!*duty_at(i)->check.slug)
            continue; /* a check of its own has recordings of its own */
        if ((number >= 34 && number <= 47) || number == 94 || number == 95)
            continue; /* of HTTP's exchanges: test_duty_http.c */
        ck_assert_msg(broken[number], "no conversation breaks %d", number);
        ck_assert_msg(kept[number], "no conversation keeps %d", number);
    }
}
END_TEST

/* In order, each once, each with a check that there is. */
START_TEST(table)
{
    int last = 0;
    for (size_t i = 0; duty_at(i); i++) {
        const struct duty_row *row = duty_at(i);
        ck_assert_int_gt(row->number, last);
        last = row->number;
        ck_assert_ptr_eq(duty_find(row->number), row);
        ck_assert_msg(check_find(row->judged_by) != NULL, "%d: no check %s", row->number, row->judged_by);
        ck_assert_msg(*row->check.doc && *row->provoked, "%d", row->number);
        if (*row->check.slug) {
            ck_assert_str_eq(row->check.slug, arena_printf(&arena, "mcp-%02d", row->number));
            ck_assert_str_eq(row->judged_by, row->check.slug);
            ck_assert_ptr_nonnull(check_find(row->check.slug));
        }
    }
    ck_assert_ptr_null(duty_find(0));
    ck_assert_ptr_null(check_find(""));
}
END_TEST

static void add_rows(struct buf *out)
{
    static const char *const levels[] = {"must", "should", "must, should"};
    static const char *const eras[] = {"both", "old", "new"};
    buf_add_string(
        out, "| number | what must hold | era | level | provoked by | check |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; duty_at(i); i++) {
        const struct duty_row *row = duty_at(i);
        buf_addf(out, "| %d | %s | %s | %s | %s | `%s` |\n", row->number, row->check.doc, eras[row->era],
                 levels[row->level], row->provoked, row->judged_by);
    }
}

/* TASKGEN_UPDATE=1 writes it. */
START_TEST(page)
{
    struct buf now, want;
    struct error *err = NULL;
    buf_init(&now, LINE_MAX_BYTES);
    buf_init(&want, LINE_MAX_BYTES);
    ck_assert_msg(fs_read(PAGE, LINE_MAX_BYTES, &now, &err) == 0, "%s", err ? err->text : "");
    ptrdiff_t begin = bytes_find(buf_bytes(&now), BYTES_LITERAL(BEGIN), 0);
    ck_assert_msg(begin >= 0, "%s: no line %s", PAGE, BEGIN);
    buf_add(&want, bytes_slice(buf_bytes(&now), 0, (size_t)begin + strlen(BEGIN)));
    add_rows(&want);
    if (getenv("TASKGEN_UPDATE"))
        ck_assert_int_eq(fs_write(PAGE, buf_bytes(&want), &err), 0);
    else
        ck_assert_msg(bytes_equal(buf_bytes(&want), buf_bytes(&now)),
                      "%s is not what the table says; TASKGEN_UPDATE=1", PAGE);
    buf_release(&now);
    buf_release(&want);
}
END_TEST

static struct execution with_breach(struct wire_record *record, struct task *task)
{
    return (struct execution){.task = task, .arena = &arena, .wire = record, .wire_count = 1};
}

/* A breach in the records becomes one verdict, of the number's check; of a number that is judged elsewhere,
 * none. */
START_TEST(verdicts)
{
    struct task *task = task_new();
    struct wire_record record = {
        .kind = "breach", .duty = 70, .detail = "a detail", .text = BYTES_LITERAL("{}")};
    struct execution e = with_breach(&record, task);
    struct verdicts v = {.arena = &arena};
    duty_judge(&e, &v);
    ck_assert_uint_eq(v.count, 1);
    ck_assert_str_eq(v.items[0].check, "mcp-70");
    ck_assert_str_eq(v.items[0].detail, "a detail");
    ck_assert_int_eq(v.items[0].layer, LAYER_INTERFACE);
    ck_assert_ptr_nonnull(strstr(v.items[0].evidence, "duty 70"));
    record.duty = 27;
    v = (struct verdicts){.arena = &arena};
    duty_judge(&e, &v);
    ck_assert_uint_eq(v.count, 0);
    task_free(task);
}
END_TEST

/* Requests that are never answered, names without end: memory stays bounded, and what was forgotten is not
 * held against anybody. */
START_TEST(bounds)
{
    struct duty_watch *w = duty_watch_new(DUTY_STDIO, note, NULL);
    said_count = 0;
    for (int64_t id = 1; id <= 3000; id++)
        duty_sent(w, "tools/call", id, BYTES_LITERAL("{\"name\":\"a\",\"_meta\":{\"progressToken\":1}}"));
    struct bytes late = BYTES_LITERAL("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                                      "\"params\":{\"progressToken\":77,\"progress\":1}}");
    duty_received(w, read_text(late, "late"), late);
    ck_assert_uint_eq(said_count, 0);
    for (int i = 0; i < 10000; i++) {
        struct bytes text = bytes_of_string(
            arena_printf(&arena, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", i));
        duty_received(w, read_text(text, "ping"), text);
    }
    ck_assert_uint_eq(said_count, 0);
    duty_watch_free(w);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, conversations);
    tcase_add_test(tests, table);
    tcase_add_test(tests, page);
    tcase_add_test(tests, verdicts);
    tcase_add_test(tests, bounds);
}

int main(void)
{
    return unit_main("duty", fill);
}
