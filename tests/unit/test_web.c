/* exec/site: what pages say, and what the site saw. */
#include <stdio.h>

#include "base/fs.h"
#include "base/hash.h"
#include "exec/site/page.h"
#include "gen/recipe.h"
#include "web_case.h"

START_TEST(plain_pages)
{
    ck_assert_ptr_nonnull(strstr(web_get("/page?title=A%20%3Cb%3E&text=x%2By+z&links=2"), "<h1>A &lt;b&gt;</h1>\n<p id=\"text\">x+y z</p>"));
    ck_assert_int_eq(status, 200);
    ck_assert(head_has("Content-Type: text/html; charset=utf-8\r\n") && head_has("Cache-Control: no-store\r\n"));
    web_get("/nowhere");
    ck_assert_int_eq(status, 404);
    ck_assert_ptr_nonnull(strstr(web_get("/~abc/page?links=1"), "href=\"/~abc/page?title=page%201\""));
    const struct web_visit *v = web_last(0);
    ck_assert_str_eq(v->room, "abc");
    ASSERT_BYTES(v->path, "/page");
    ASSERT_BYTES(v->query, "links=1");
    ck_assert_uint_eq(v->number, 2);
    ck_assert_uint_eq(web_last(1)->status, 404);
}
END_TEST

/* Every page answers when it is asked without parameters, and what it links to is there. */
START_TEST(index_is_true)
{
    const char *index = web_get("/");
    for (size_t f = 0; web_families[f]; f++) {
        for (const struct web_page *p = web_families[f]; p->path; p++) {
            char link[256];
            snprintf(link, sizeof link, "<a href=\"%s\">", p->path);
            ck_assert_msg(strstr(index, link) != NULL, "%s is not in the index", p->path);
        }
    }
}
END_TEST

START_TEST(forms)
{
    const char *form = web_get("/forms/all?method=get&charset=shift_jis&title=%E8%A8%98%E5%85%A5");
    ck_assert_ptr_nonnull(strstr(form, "<meta charset=\"shift_jis\">"));
    ck_assert_ptr_nonnull(strstr(form, "<h1>\x8b\x4c\x93\xfc</h1>"));
    ck_assert(head_has("Content-Type: text/html\r\n"));
    web_get("/forms/all?charset=nonsense");
    ck_assert_int_eq(status, 400);

    const char *sent = web_post("/forms/sent", "name=Zo%C3%AB&message=%0D%0Aa+%3C&sizes=M&sizes=L&nul=a%00b&=&empty");
    ck_assert_ptr_nonnull(strstr(sent, "id=\"name\"><pre>\nZo\xc3\xab</pre>"));
    ck_assert_ptr_nonnull(strstr(sent, "id=\"message\"><pre>\n\r\na &lt;</pre>"));
    const struct web_visit *v = web_last(0);
    size_t at = 0;
    ASSERT_BYTES(web_visit_field(v, BYTES_LITERAL("sizes"), &at)->value, "M");
    ASSERT_BYTES(web_visit_field(v, BYTES_LITERAL("sizes"), &at)->value, "L");
    ASSERT_BYTES(web_visit_field(v, BYTES_LITERAL("nul"), &at)->value, "a\0b");
    ck_assert_ptr_null(web_visit_field(v, BYTES_LITERAL("sizes"), &at));
    ck_assert_uint_eq(v->body_size, strlen("name=Zo%C3%AB&message=%0D%0Aa+%3C&sizes=M&sizes=L&nul=a%00b&=&empty"));

    web_post("/forms/sent?charset=shift_jis", "name=%8bL%93%fc");
    v = web_last(0);
    ASSERT_BYTES(v->fields[0].value, "\x8bL\x93\xfc");
    ASSERT_BYTES(v->fields[0].text, "記入");
}
END_TEST

static void upload(const char *name, struct bytes content)
{
    CURL *c = web_handle("/upload/sent");
    curl_mime *form = curl_mime_init(c);
    curl_mimepart *part = curl_mime_addpart(form);
    curl_mime_name(part, "note");
    curl_mime_data(part, "with \"this\"", CURL_ZERO_TERMINATED);
    part = curl_mime_addpart(form);
    curl_mime_name(part, "file");
    curl_mime_data(part, (const char *)content.data, content.len);
    curl_mime_filename(part, name);
    curl_easy_setopt(c, CURLOPT_MIMEPOST, form);
    web_perform(c);
    curl_mime_free(form);
    curl_easy_cleanup(c);
    ck_assert_int_eq(status, 200);
}

START_TEST(uploads)
{
    struct buf data;
    char hash[65];
    buf_init(&data, 1 << 22);
    for (size_t size = 0; size < 3000000; size = size * 7 + 1) {
        for (size_t i = data.len; i < size; i++)
            buf_add_byte(&data, (uint8_t)(i * 7 >> 3));
        upload("報告 1.bin", buf_bytes(&data));
        sha256_hex(buf_bytes(&data), hash);
        const struct web_visit *v = web_last(0);
        ck_assert_uint_eq(v->field_count, 2);
        ASSERT_BYTES(v->fields[0].value, "with \"this\"");
        ck_assert(!v->fields[0].file && v->fields[1].file);
        ASSERT_BYTES(v->fields[1].filename, "報告 1.bin");
        ck_assert_uint_eq(v->fields[1].size, size);
        ck_assert_uint_eq(v->fields[1].value.len, 0);
        ck_assert_str_eq(v->fields[1].sha256, hash);
        ck_assert_ptr_nonnull(strstr(buf_string(&body), hash));
        ck_assert(v->body_size > size && !v->cut);
    }
    buf_release(&data);
}
END_TEST

/* Longer and more than is kept: it is said. */
START_TEST(form_bounds)
{
    struct buf big;
    buf_init(&big, 4 << 20);
    buf_add_string(&big, "long=");
    for (size_t i = 0; i < WEB_VALUE_MAX + 10; i++)
        buf_add_byte(&big, 'x');
    web_post("/forms/sent", buf_string(&big));
    const struct web_visit *v = web_last(0);
    ck_assert(v->cut && v->fields[0].value.len == WEB_VALUE_MAX && v->fields[0].size == WEB_VALUE_MAX + 10);
    buf_clear(&big);
    for (size_t i = 0; i < WEB_FIELDS_MAX + 10; i++)
        buf_addf(&big, "f%zu=%zu&", i, i);
    web_post("/forms/sent", buf_string(&big));
    v = web_last(0);
    ck_assert(v->cut && v->field_count == WEB_FIELDS_MAX);
    buf_release(&big);
}
END_TEST

START_TEST(downloads)
{
    char hash[65], path[128];
    static const uint64_t sizes[] = {0, 1, 65535, 65536, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(path, sizeof path, "/files/get?size=%llu&seed=3&name=%%E5%%A0%%B1/%%22x%%00", (unsigned long long)sizes[i]);
        web_get(path);
        struct json *content = json_new(&arena, JSON_OBJECT);
        json_set(&arena, content, "$recipe", json_text(&arena, "random"));
        json_set(&arena, content, "size", json_integer(&arena, (int64_t)sizes[i]));
        json_set(&arena, content, "seed", json_integer(&arena, 3));
        sha256_hex(buf_bytes(&body), hash);
        ck_assert_uint_eq(body.len, sizes[i]);
        ck_assert(bytes_equal_string(json_as_text(content_fact(content, BYTES_LITERAL("sha256"), &arena)), hash));
        ck_assert(head_has("filename*=UTF-8''%E5%A0%B1%2F%22x%00\r\n"));
        const struct web_visit *v = web_last(0);
        ck_assert(v->sent == sizes[i] && v->length == (int64_t)sizes[i] && v->end == WEB_WHOLE);
    }
    web_get("/files/get?size=100000&cut=70000");
    ck_assert_int_eq(how, CURLE_PARTIAL_FILE);
    ck_assert(web_last(0)->end == WEB_CUT && web_last(0)->sent == 70000 && body.len == 70000);
    web_get("/files/get?size=100000&chunked");
    ck_assert(body.len == 100000 && head_has("Transfer-Encoding: chunked") && web_last(0)->length == -1);
    web_get("/files/get?size=1000&packed");
    ck_assert(body.len > 1000 && body.data[0] == 0x1f && body.data[1] == 0x8b && head_has("Content-Encoding: gzip\r\n"));
    web_get("/files/get?recipe=nothing");
    ck_assert_int_eq(status, 404);
    web_get("/files/get?recipe=csv&rows=x&delimiter=dot");
    ck_assert_int_eq(status, 400);
    ck_assert_ptr_nonnull(strstr(web_get("/content/csv?rows=1"), "id,name,price"));
}
END_TEST

START_TEST(ranges)
{
    static const struct {
        const char *range;
        long status;
        const char *got;
    } rows[] = {
        {"0-3", 206, "1\n2\n"}, {"2-", 206, "2\n3\n"}, {"-2", 206, "3\n"}, {"-100", 206, "1\n2\n3\n"}, {"4-100", 206, "3\n"},
        {"6-", 416, ""},        {"3-2", 200, "1\n2\n3\n"}, {"x", 200, "1\n2\n3\n"}, {"0-1,3-4", 200, "1\n2\n3\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CURL *c = web_handle("/files/get?recipe=lines&lines=3");
        curl_easy_setopt(c, CURLOPT_RANGE, rows[i].range);
        web_perform(c);
        curl_easy_cleanup(c);
        ck_assert_msg(status == rows[i].status && strcmp(buf_string(&body), rows[i].got) == 0, "%s: %ld %s", rows[i].range, status,
                      buf_string(&body));
    }
}
END_TEST

/* A client that goes away in the middle is seen to have gone. */
static size_t refuse(char *data, size_t size, size_t count, void *user)
{
    (void)data, (void)user;
    return size * count > 1 ? 0 : size * count;
}

START_TEST(client_leaves)
{
    CURL *c = web_handle("/files/get?size=100000000");
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, refuse);
    web_perform(c);
    curl_easy_cleanup(c);
    const struct web_visit *v = web_last(0);
    ck_assert_int_eq(v->end, WEB_LEFT);
    ck_assert(v->sent < 100000000 && v->length == 100000000);
}
END_TEST

START_TEST(logins)
{
    CURL *c = web_handle("/account");
    web_perform(c);
    ck_assert_int_eq(status, 403);
    char url[256];
    snprintf(url, sizeof url, "%s/login?user=Zo%%C3%%AB&password=p%%26q", site_url);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, "user=Zo%C3%AB&password=no");
    web_perform(c);
    ck_assert_int_eq(status, 401);
    ck_assert_ptr_nonnull(strstr(buf_string(&body), "id=\"error\""));
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, "user=Zo%C3%AB&password=p%26q");
    web_perform(c);
    ck_assert_int_eq(status, 200);
    ck_assert_ptr_nonnull(strstr(buf_string(&body), "<p id=\"user\">Zo\xc3\xab</p>"));
    ck_assert_ptr_nonnull(strstr(buf_string(&body), "<p id=\"views\">1</p>"));
    snprintf(url, sizeof url, "%s/logout", site_url);
    curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(c, CURLOPT_URL, url);
    web_perform(c);
    snprintf(url, sizeof url, "%s/account/statement", site_url);
    curl_easy_setopt(c, CURLOPT_URL, url);
    web_perform(c);
    ck_assert_int_eq(status, 403);
    curl_easy_cleanup(c);
}
END_TEST

START_TEST(record_over_http)
{
    web_get("/~one/page?x=%ff");
    web_get("/~two/page");
    web_last(0);
    struct json *root = NULL;
    web_get("/~one/record");
    ck_assert_int_eq(json_read(&arena, buf_bytes(&body), NULL, "record", &root, NULL, NULL), 0);
    const struct json *list = json_get(root, "visits");
    ck_assert_uint_eq(list->count, 1);
    struct web_visit v;
    ck_assert(web_visit_read(&arena, list->first, &v));
    ck_assert_str_eq(v.room, "one");
    ASSERT_BYTES(v.query, "x=%ff");
    ck_assert(v.status == 200 && v.end == WEB_WHOLE && v.sent == (uint64_t)v.length && v.length > 0);
    struct web_visits all;
    web_site_visits(site, NULL, 0, &arena, &all);
    ck_assert_uint_eq(all.count, 2);
    web_site_visits(site, "two", 0, &arena, &all);
    ck_assert_uint_eq(all.count, 1);
    web_site_clear(site);
    web_site_visits(site, NULL, 0, &arena, &all);
    ck_assert_uint_eq(all.count, 0);
    web_get("/page");
    ck_assert_uint_eq(web_last(0)->number, 2);
}
END_TEST

/* What is written of a visit reads back the same. */
START_TEST(visits_as_json)
{
    upload("a\"b\xff.bin", BYTES_LITERAL("abc"));
    const struct web_visit *v = web_last(0);
    struct json *first = web_visit_write(&arena, v);
    struct web_visit back;
    ck_assert(web_visit_read(&arena, first, &back));
    ck_assert(json_equal(first, web_visit_write(&arena, &back)));
    ck_assert_str_eq(back.fields[1].sha256, v->fields[1].sha256);
    ck_assert(!web_visit_read(&arena, json_new(&arena, JSON_ARRAY), &back));
}
END_TEST

/* docs/site.md has the table of pages as it is; UPDATE=1 writes it there. */
START_TEST(documented)
{
    const char *file = TASKGEN_SOURCE_DIR "/docs/site.md", *begin = "| page | parameters | what is read there |\n|---|---|---|\n";
    struct buf table, text, fresh;
    buf_init(&table, 1 << 20);
    buf_init(&text, 1 << 20);
    buf_init(&fresh, 1 << 20);
    for (size_t f = 0; web_families[f]; f++)
        for (const struct web_page *p = web_families[f]; p->path; p++)
            buf_addf(&table, "| `%s` | %s | %s: %s |\n", p->path, *p->parameters ? p->parameters : "–", p->title, p->says);
    ck_assert_int_eq(fs_read(file, 1 << 20, &text, NULL), 0);
    ptrdiff_t at = bytes_find(buf_bytes(&text), bytes_of_string(begin), 0);
    ck_assert(at >= 0);
    size_t from = (size_t)at + strlen(begin);
    ptrdiff_t end = bytes_find(buf_bytes(&text), BYTES_LITERAL("\n\n"), from);
    ck_assert(end >= 0);
    bool same = bytes_equal(bytes_slice(buf_bytes(&text), from, (size_t)end + 1), buf_bytes(&table));
    if (!same && getenv("UPDATE")) {
        buf_add(&fresh, bytes_slice(buf_bytes(&text), 0, from));
        buf_add(&fresh, buf_bytes(&table));
        buf_add(&fresh, bytes_slice(buf_bytes(&text), (size_t)end + 1, text.len));
        FILE *out = fopen(file, "we");
        ck_assert(out && fwrite(fresh.data, 1, fresh.len, out) == fresh.len && fclose(out) == 0);
        same = true;
    }
    ck_assert_msg(same, "the pages in docs/site.md are not those of the site; UPDATE=1 writes them");
    buf_release(&table);
    buf_release(&text);
    buf_release(&fresh);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, web_set_up, web_tear_down);
    tcase_add_test(tests, plain_pages);
    tcase_add_test(tests, index_is_true);
    tcase_add_test(tests, forms);
    tcase_add_test(tests, uploads);
    tcase_add_test(tests, form_bounds);
    tcase_add_test(tests, downloads);
    tcase_add_test(tests, ranges);
    tcase_add_test(tests, client_leaves);
    tcase_add_test(tests, logins);
    tcase_add_test(tests, record_over_http);
    tcase_add_test(tests, visits_as_json);
    tcase_add_test(tests, documented);
}

int main(void)
{
    return unit_main("web", fill);
}
