/* Asking a site elsewhere; see remote.h. */
#include "exec/site/remote.h"

#include <curl/curl.h>
#include <pthread.h>

enum { ANSWER_MAX = 256 << 20, CONNECT_MS = 10000, ANSWER_MS = 60000, VISITS_MAX = 1 << 20 };

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static size_t take(char *data, size_t size, size_t count, void *user)
{
    return buf_add(user, bytes_of(data, size * count)) == 0 ? size * count : 0;
}

static CURLcode get(const char *url, struct buf *answer, long *status)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_curl);
    CURL *c = curl_easy_init();
    if (!c)
        return CURLE_FAILED_INIT;
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, answer);
    CURLcode code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, status);
    curl_easy_cleanup(c);
    return code;
}

int web_remote_read(struct bytes text, struct arena *a, struct web_visits *out, int64_t *now_ms, struct error **err)
{
    struct json *root = NULL;
    int64_t dropped = 0;
    TRY(json_read(a, text, &(struct json_options){.max_depth = 32}, "the site's record", &root, NULL, err));
    const struct json *list = json_get(root, "visits");
    if (!json_is(list, JSON_ARRAY) || list->count > VISITS_MAX)
        return error_set(err, ERR_TARGET, "the site's record: found no visits");
    struct web_visit *visits = arena_alloc(a, (list->count + 1) * sizeof *visits);
    *out = (struct web_visits){.items = visits};
    for (const struct json *item = list->first; item; item = item->next)
        out->count += web_visit_read(a, item, &visits[out->count]);
    if (json_as_integer(json_get(root, "dropped"), &dropped) && dropped > 0)
        out->dropped = (uint64_t)dropped;
    *now_ms = 0;
    json_as_integer(json_get(root, "now_ms"), now_ms);
    return 0;
}

int web_remote_visits(const char *address, struct arena *a, struct web_visits *out, int64_t *now_ms, struct error **err)
{
    struct buf answer;
    long status = 0;
    char *url = arena_printf(a, "%s/record", address);
    buf_init(&answer, ANSWER_MAX);
    CURLcode code = get(url, &answer, &status);
    int result = 0;
    if (code != CURLE_OK)
        result = error_set(err, ERR_TARGET, "%s: %s", url, curl_easy_strerror(code));
    else if (status != 200)
        result = error_set(err, ERR_TARGET, "%s: status %ld", url, status);
    else
        result = web_remote_read(buf_bytes(&answer), a, out, now_ms, err);
    buf_release(&answer);
    return result;
}
