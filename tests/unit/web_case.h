/* A fixture site on a port of the loopback, and libcurl to ask it. */
#ifndef TESTS_UNIT_WEB_CASE_H
#define TESTS_UNIT_WEB_CASE_H

#include <curl/curl.h>

#include "base/clock.h"
#include "base/listen.h"
#include "exec/site/site.h"
#include "unit.h"

static struct web_site *site;
static char site_url[128];
static struct arena arena;
static struct buf head, body; /* of the last answer */
static long status;           /* likewise; 0: there was none */
static CURLcode how;          /* likewise: what libcurl says */

static void site_open(const struct web_site_options *o)
{
    union listen_address address;
    struct error *err = NULL;
    int fd;
    ck_assert_int_eq(listen_read("0", &address, NULL), 0);
    ck_assert_int_eq(listen_open(&address, "0", &fd, NULL), 0);
    listen_url(fd, site_url, sizeof site_url);
    site_url[strlen(site_url) - 1] = 0;
    site = web_site_new(o);
    ck_assert_msg(web_site_serve(site, fd, NULL, &err) == 0, "%s", err ? err->text : "");
}

static void web_set_up(void)
{
    const struct web_site_options o = {.open_record = true};
    curl_global_init(CURL_GLOBAL_DEFAULT);
    site_open(&o);
    arena_init(&arena);
    buf_init(&head, 1 << 20);
    buf_init(&body, 256 << 20);
}

static void web_tear_down(void)
{
    web_site_free(site);
    arena_release(&arena);
    buf_release(&head);
    buf_release(&body);
}

static size_t web_take(char *data, size_t size, size_t count, void *user)
{
    buf_add(user, bytes_of(data, size * count));
    return size * count;
}

static CURL *web_handle(const char *path)
{
    CURL *c = curl_easy_init();
    char url[4096];
    snprintf(url, sizeof url, "%s%s", site_url, path);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, web_take);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, &head);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(c, CURLOPT_TIMEOUT, 60L);
    curl_easy_setopt(c, CURLOPT_COOKIEFILE, "");
    return c;
}

static void web_perform(CURL *c)
{
    buf_clear(&head);
    buf_clear(&body);
    status = 0;
    how = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    buf_string(&head);
    buf_string(&body);
}

/* GET, or POST of a body; the answer's body as a text. */
static inline const char *web_get(const char *path)
{
    CURL *c = web_handle(path);
    web_perform(c);
    curl_easy_cleanup(c);
    return buf_string(&body);
}

static inline const char *web_post(const char *path, const char *data)
{
    CURL *c = web_handle(path);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, data);
    web_perform(c);
    curl_easy_cleanup(c);
    return buf_string(&body);
}

static inline bool head_has(const char *line)
{
    return strstr(buf_string(&head), line) != NULL;
}

/* The visit of that number from the end, when it is over. */
static const struct web_visit *web_last(size_t from_end)
{
    for (int i = 0; i < 1000; i++) {
        struct web_visits all;
        web_site_visits(site, NULL, 0, &arena, &all);
        if (all.count > from_end && all.items[all.count - 1 - from_end].end != WEB_OPEN)
            return &all.items[all.count - 1 - from_end];
        clock_sleep_ms(5);
    }
    ck_abort_msg("the visit is not over");
    return NULL;
}

#endif
