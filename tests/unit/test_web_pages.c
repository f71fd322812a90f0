/* exec/site: that pages say what their table says they do; answers that take their time or break the rules; and clients that do. */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exec/site/page.h"
#include "exec/site/raw.h"
#include "gen/recipe.h"
#include "web_case.h"

static void ask(const char *path, long expected, const char *text)
{
    const char *got = web_get(path);
    ck_assert_msg(status == expected, "%s: %ld %s", path, status, curl_easy_strerror(how));
    ck_assert_msg(!text || bytes_find(buf_bytes(&body), bytes_of_string(text), 0) >= 0, "%s: %s", path, got);
}

/* What a page gives twice is the same, and all of it is UTF-8 or says otherwise. */
START_TEST(all_pages)
{
    struct buf first;
    buf_init(&first, 64 << 20);
    for (size_t f = 0; web_families[f]; f++) {
        for (const struct web_page *p = web_families[f]; p->path; p++) {
            bool endless = strstr("/slow/unfinished /slow/endless /slow/events /slow/late /slow/drip /redirect/loop /redirect/endless", p->path) != NULL;
            if (p->script || endless || strchr(p->path, '*'))
                continue;
            ck_assert(!p->script == (strncmp(p->path, "/raw/", 5) != 0));
            web_get(p->path);
            ck_assert_msg(how == CURLE_OK && status >= 200 && status < 600, "%s: %ld %s", p->path, status, curl_easy_strerror(how));
            buf_clear(&first);
            buf_add(&first, buf_bytes(&body));
            web_get(p->path);
            ck_assert_msg(bytes_equal(buf_bytes(&first), buf_bytes(&body)), "%s says something else the second time", p->path);
        }
    }
    buf_release(&first);
}
END_TEST

START_TEST(single_pages)
{
    ask("/count?from=7", 200, "<p id=\"count\">7</p>");
    ask("/status/503?after=9", 503, "<p id=\"status\">503</p>");
    ck_assert(head_has("Retry-After: 9\r\n"));
    ask("/status/999", 404, NULL);
    ask("/status/204", 204, NULL);
    ask("/redirect/chain?n=2&status=307", 307, NULL);
    ck_assert(head_has("Location: /redirect/chain?n=1&status=307\r\n"));
    ask("/~r1/redirect/chain?n=0", 302, NULL);
    ck_assert(head_has("Location: /~r1/page?title=Arrived\r\n"));
    ask("/redirect/to?url=file:///etc/passwd", 302, NULL);
    ck_assert(head_has("Location: file:///etc/passwd\r\n"));
    ask("/table?rows=3&seed=5", 200, "<thead>\n<tr><th>id</th><th>name</th>");
    ask("/table/rows?rows=3&from=2", 200, "[[\"3\",");
    ask("/table/pages?rows=25&size=10&page=3", 200, "<span id=\"pages\">3</span>");
    ask("/frames/nested?depth=0&text=%3Cx%3E", 200, "<p id=\"text\">&lt;x&gt;</p>");
    ask("/frames/cross", 200, "src=\"http://localhost:");
    ask("/heavy/dom?n=3", 200, "<li>item 3\n");
    ask("/policy/csp?policy=script-src%20%27self%27", 200, NULL);
    ck_assert(head_has("Content-Security-Policy: script-src 'self'\r\n"));
    ask("/policy/cookies?n=2&size=3", 200, NULL);
    ck_assert(head_has("Set-Cookie: big1=000; Path=/\r\n"));
    ask("/control?kind=shadow", 200, "attachShadow");
    ask("/content/png?width=10&height=10", 200, "\x89PNG");
    ask("/media/jpeg?width=8&height=8", 200, "JFIF");
    ask("/media/gif?frames=2", 200, "NETSCAPE2.0");
    ask("/dialogs/prompt?text=%22%3C/script%3E\xc3\xa9", 200, "const text = \"\\x22\\x3c/script>\xc3\xa9\";");
}
END_TEST

/* The sum of a table is that of the recipe. */
START_TEST(tables_are_recipes)
{
    struct json *recipe = json_new(&arena, JSON_OBJECT);
    json_set(&arena, recipe, "$recipe", json_text(&arena, "csv"));
    json_set(&arena, recipe, "rows", json_integer(&arena, 40));
    json_set(&arena, recipe, "seed", json_integer(&arena, 11));
    json_set(&arena, recipe, "quoting", json_text(&arena, "none"));
    int64_t want, sum = 0, rows = 0;
    ck_assert(json_as_integer(content_fact(recipe, BYTES_LITERAL("sum.quantity"), &arena), &want));
    struct json *list = NULL;
    web_get("/table/rows?rows=40&seed=11&size=100");
    ck_assert_int_eq(json_read(&arena, buf_bytes(&body), NULL, "rows", &list, NULL, NULL), 0);
    for (const struct json *row = list->first; row; row = row->next, rows++)
        sum += strtol(arena_string(&arena, json_as_text(json_at(row, 3))), NULL, 10);
    ck_assert_int_eq(rows, 40);
    ck_assert_int_eq(sum, want);
}
END_TEST

START_TEST(charsets)
{
    ask("/charset?charset=shift_jis&text=%E8%A8%98", 200, "<p id=\"text\">\x8b\x4c</p>");
    ck_assert(head_has("Content-Type: text/html; charset=shift_jis\r\n"));
    ask("/charset?charset=iso-8859-1&text=%C3%A9%E8%A8%98&header=-&meta=utf-8", 200, "<p id=\"text\">\xe9&#35352;</p>");
    ck_assert(head_has("Content-Type: text/html\r\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&body), "<meta charset=\"utf-8\">"));
    web_get("/charset?charset=utf-16&text=%E8%A8%98");
    ck_assert(bytes_starts(buf_bytes(&body), BYTES_LITERAL("\xff\xfe<\0!\0")));
    ask("/charset?charset=utf-8//translit", 400, NULL);
    web_get("/bogus/bytes?kind=nul");
    ck_assert(bytes_find(buf_bytes(&body), BYTES_LITERAL(">a\0b</p>"), 0) > 0);
    ask("/bogus/bytes?bytes=%fe%ff", 200, ">a\xfe\xff""b</p>");
}
END_TEST

START_TEST(basic_authentication)
{
    ask("/status/basic", 401, "id=\"error\"");
    CURL *c = web_handle("/status/basic?user=a&password=%C3%A9");
    curl_easy_setopt(c, CURLOPT_USERPWD, "a:\xc3\xa9");
    web_perform(c);
    curl_easy_cleanup(c);
    ck_assert_int_eq(status, 200);
    ck_assert(web_visit_header(web_last(0), "authorization") != NULL);
}
END_TEST

/* --- time --- */

static int64_t timed(const char *path, long limit_ms)
{
    CURL *c = web_handle(path);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, limit_ms);
    int64_t start = clock_monotonic_ns();
    web_perform(c);
    curl_easy_cleanup(c);
    return (clock_monotonic_ns() - start) / 1000000;
}

START_TEST(time_passes)
{
    ck_assert_int_ge(timed("/slow/late?ms=300", 30000), 300);
    ck_assert_int_eq(status, 200);
    ck_assert_int_ge(timed("/slow/drip?n=4&ms=50", 30000), 200);
    ck_assert_ptr_nonnull(strstr(buf_string(&body), "<p class=\"drop\">4</p>"));
    timed("/slow/unfinished", 300);
    ck_assert(how == CURLE_OPERATION_TIMEDOUT && strstr(buf_string(&body), "all is said"));
    ck_assert_int_eq(web_last(0)->end, WEB_LEFT);
    timed("/slow/endless?ms=20", 300);
    ck_assert(how == CURLE_OPERATION_TIMEDOUT && body.len > 2000);
    timed("/slow/late?ms=60000", 200);
    const struct web_visit *v = web_last(0);
    ck_assert(how == CURLE_OPERATION_TIMEDOUT && v->end == WEB_LEFT && v->end_ms - v->start_ms < 30000);
}
END_TEST

/* Whoever waits is let go when the site ends; the set-up's tear-down would hang else. */
static void *wait_for_it(void *user)
{
    CURL *c = web_handle(user);
    struct buf ignored;
    buf_init(&ignored, 1 << 20);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &ignored);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, &ignored);
    curl_easy_perform(c);
    curl_easy_cleanup(c);
    buf_release(&ignored);
    return NULL;
}

START_TEST(ends_at_once)
{
    enum { CLIENTS = 24 };
    static const char *const paths[] = {"/slow/late?ms=60000", "/slow/unfinished", "/slow/endless?ms=5", "/raw/silent", "/files/get?size=100000000", "/raw/length?hold"};
    pthread_t threads[CLIENTS];
    struct web_visits all = {0};
    for (size_t i = 0; i < CLIENTS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_it, (void *)(uintptr_t)paths[i % (sizeof paths / sizeof *paths)]), 0);
    for (int i = 0; i < 2000 && all.count < CLIENTS; i++) {
        web_site_visits(site, NULL, 0, &arena, &all);
        clock_sleep_ms(5);
    }
    ck_assert_uint_eq(all.count, CLIENTS);
    int64_t start = clock_monotonic_ns();
    web_site_free(site);
    site = NULL;
    ck_assert_int_lt((clock_monotonic_ns() - start) / 1000000, 10000);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
}
END_TEST

/* --- answers that break the rules --- */

START_TEST(raw_pages)
{
    ask("/raw/page", 200, "<p id=\"text\">all of it</p>");
    ask("/~r/raw/page", 200, "all of it");
    ck_assert_str_eq(web_last(0)->room, "r");
    ask("/raw/nothing", 404, NULL);
    web_get("/raw/closed");
    ck_assert_int_eq(how, CURLE_GOT_NOTHING);
    ck_assert_int_eq(web_last(0)->end, WEB_CUT);
    web_get("/raw/closed?reset");
    ck_assert_int_eq(how, CURLE_RECV_ERROR);
    web_get("/raw/length?size=10&claimed=20");
    const struct web_visit *v = web_last(0);
    ck_assert(how == CURLE_PARTIAL_FILE && body.len == 10 && v->sent == 10 && v->length == 20 && v->end == WEB_CUT);
    web_get("/raw/length?size=20&claimed=10");
    ck_assert(how == CURLE_OK && body.len == 10);
    web_get("/raw/unsized?size=300000");
    ck_assert(how == CURLE_OK && body.len == 300000 && web_last(0)->sent == 300000);
    web_get("/raw/chunks");
    ck_assert(how == CURLE_OK && strstr(buf_string(&body), "all of it"));
    web_get("/raw/chunks?fault=cut");
    ck_assert_int_eq(how, CURLE_PARTIAL_FILE);
    web_get("/raw/chunks?fault=size");
    ck_assert_int_ne(how, CURLE_OK);
    web_get("/raw/status?line=HTTP/1.1%20299%20%ff");
    ck_assert_int_eq(status, 299);
    web_get("/raw/noise?bytes=%00%01");
    ck_assert_int_ne(how, CURLE_OK);
    timed("/raw/silent", 200);
    ck_assert_int_eq(how, CURLE_OPERATION_TIMEDOUT);
    ck_assert_int_eq(web_last(0)->end, WEB_LEFT);
}
END_TEST

/* On a connection that the daemon has: it is asked for again on a fresh one. */
START_TEST(raw_after_another)
{
    CURL *c = web_handle("/page");
    char url[256];
    web_perform(c);
    snprintf(url, sizeof url, "%s/raw/page?x=%%ff", site_url);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
    web_perform(c);
    curl_easy_cleanup(c);
    ck_assert(status == 200 && strstr(buf_string(&body), "all of it"));
    ASSERT_BYTES(web_last(0)->query, "x=%ff");
    ck_assert_uint_eq(web_last(0)->number, 1);
}
END_TEST

static int connect_raw(void)
{
    unsigned port = 0;
    ck_assert_int_eq(sscanf(site_url, "http://127.0.0.1:%u", &port), 1);
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Heads in pieces, heads that never end, heads that are too big, noise: others are answered all the same. */
START_TEST(hostile_clients)
{
    static const char *const pieces[] = {"G", "ET /ra", "w/pa", "ge HTTP/1.1\r\nHo", "st: x\r\n", "\r\n"};
    char got[8192];
    int slow = connect_raw(), silent[64], big = connect_raw(), noise = connect_raw();
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        silent[i] = connect_raw();
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        ck_assert_int_eq(send(slow, pieces[i], strlen(pieces[i]), MSG_NOSIGNAL), (ssize_t)strlen(pieces[i]));
        clock_sleep_ms(15);
        ask("/page", 200, "Nothing is said here");
    }
    ssize_t length = 0, more;
    while ((more = recv(slow, got + length, sizeof got - 1 - (size_t)length, 0)) > 0)
        length += more;
    got[length] = 0;
    ck_assert_ptr_nonnull(strstr(got, "all of it"));
    ck_assert_int_gt(send(big, "GET /page HTTP/1.1\r\n", 20, MSG_NOSIGNAL), 0);
    for (int i = 0; i < 100000; i++)
        if (send(big, "X-Header: of some length, and again and again\r\n", 47, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            break;
    ck_assert_int_gt(send(noise, "\x16\x03\x01\0\0\n\n\n\r\n\r\n", 11, MSG_NOSIGNAL), 0);
    ask("/page", 200, "Nothing is said here");
    close(slow);
    close(big);
    close(noise);
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        close(silent[i]);
    ask("/raw/page", 200, "all of it");
}
END_TEST

START_TEST(raw_heads)
{
    static const struct {
        const char *head;
        int asked;
    } rows[] = {
        {"", -1},           {"GET", -1},           {"GET ", -1},          {"GET /", -1},           {"GET /ra", -1},      {"GET /raw/", 1},
        {"GET /raw/x H", 1}, {"POST /raw/x", 1},    {"GET /page", 0},      {"GET /rawx", 0},        {"get /raw/", 0},     {" GET /raw/", 0},
        {"GET /~a", -1},    {"GET /~a/", -1},      {"GET /~a/raw/x", 1},  {"GET /~a/page", 0},     {"GET /~a HTTP", 0},  {"GET http://h/raw/", 0},
        {"\r\n", 0},        {"GETGETGETGETGETGETGET /raw/", 0}, {"GET /~aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(web_raw_asked(bytes_of_string(rows[i].head)) == rows[i].asked, "%s: %d", rows[i].head, web_raw_asked(bytes_of_string(rows[i].head)));
    const struct bytes lines = BYTES_LITERAL("GET /raw/x?y HTTP/1.1\r\nHost:  a b\r\nX\r\nCookie: c=1\r\n\r\nCookie: c=2\r\n");
    const char *method;
    struct bytes target;
    ck_assert(web_raw_line(&arena, lines, &method, &target));
    ck_assert_str_eq(method, "GET");
    ASSERT_BYTES(target, "/raw/x?y");
    ASSERT_BYTES(web_raw_header(lines, "host"), "a b");
    ASSERT_BYTES(web_raw_header(lines, "cookie"), "c=1");
    ck_assert_uint_eq(web_raw_header(lines, "x").len, 0);
    ck_assert(!web_raw_line(&arena, BYTES_LITERAL("GET /raw/x\r\n"), &method, &target));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, web_set_up, web_tear_down);
    tcase_add_test(tests, all_pages);
    tcase_add_test(tests, single_pages);
    tcase_add_test(tests, tables_are_recipes);
    tcase_add_test(tests, charsets);
    tcase_add_test(tests, basic_authentication);
    tcase_add_test(tests, time_passes);
    tcase_add_test(tests, ends_at_once);
    tcase_add_test(tests, raw_pages);
    tcase_add_test(tests, raw_after_another);
    tcase_add_test(tests, hostile_clients);
    tcase_add_test(tests, raw_heads);
}

int main(void)
{
    return unit_main("web_pages", fill);
}
