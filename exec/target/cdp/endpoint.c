/* Finding a browser elsewhere, and connecting to it; see endpoint.h. What leaves this machine, what certificates are trusted and who is
 * told our headers is as for servers over HTTP. */
#include "exec/target/cdp/endpoint.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/json.h"
#include "exec/target/launch.h"
#include "exec/target/mcp_ask.h"
#include "exec/target/mcp_json.h"
#include "exec/target/url.h"

enum { ANSWER_MAX = 1 << 20, SHOWN = 100 };

static void set_up_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

char *endpoint_as_http(const char *address)
{
    if (strncasecmp(address, "ws:", 3) == 0)
        return strings_printf("http:%s", address + 3);
    if (strncasecmp(address, "wss:", 4) == 0)
        return strings_printf("https:%s", address + 4);
    return xstrdup(address);
}

static bool is_web_socket(const char *address)
{
    return strncasecmp(address, "ws:", 3) == 0 || strncasecmp(address, "wss:", 4) == 0;
}

/* Every connection begins here, whatever led to it. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct endpoint *e = context;
    if (!e->session->target->options.allow_remote && !url_address_is_here(&address->addr)) {
        e->refused = "it leads to another machine; --allow-remote if that is meant";
        return CURL_SOCKET_BAD;
    }
    return launch_socket(e->session, address->family);
}

static CURL *make_easy(struct endpoint *e, const char *url)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct target_options *o = &e->session->target->options;
    pthread_once(&once, set_up_curl);
    CURL *c = curl_easy_init();
    if (!c)
        BUG("libcurl gives no handle");
    e->refused = NULL;
    e->error[0] = '\0';
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(c, CURLOPT_SSL_ENABLE_ALPN, 0L);
    curl_easy_setopt(c, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)settings_int(o->settings, "exec.start-timeout"));
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, e->error);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, e);
    if (!o->allow_remote)
        curl_easy_setopt(c, CURLOPT_PROXY, "");
    if (o->ca_file)
        curl_easy_setopt(c, CURLOPT_CAINFO, o->ca_file);
    if (o->insecure) {
        curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    return c;
}

static int failed(const struct endpoint *e, const char *what, CURLcode code, struct error **err)
{
    return error_set(err, ERR_TARGET, "%s: %s", what, e->refused ? e->refused : *e->error ? e->error : curl_easy_strerror(code));
}

/* --- asking --- */

static size_t take(char *data, size_t size, size_t count, void *user)
{
    return buf_add(user, bytes_of(data, size * count)) == 0 ? size * count : 0;
}

static int get(struct endpoint *e, const char *url, struct buf *answer, struct error **err)
{
    const struct target_options *o = &e->session->target->options;
    struct curl_slist *headers = NULL;
    long status = 0;
    CURL *c = make_easy(e, url);
    for (const char *const *h = o->headers; h && *h; h++)
        headers = curl_slist_append(headers, *h);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)settings_int(o->settings, "exec.start-timeout"));
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, answer);
    CURLcode code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(c);
    curl_slist_free_all(headers);
    if (code != CURLE_OK)
        return failed(e, "/json/version", code, err);
    if (status != 200)
        return error_set(err, ERR_TARGET, "/json/version: HTTP status %ld", status);
    return 0;
}

/* Where the browser says that its WebSocket is. */
static int read_version(struct endpoint *e, struct bytes answer, struct error **err)
{
    struct arena a;
    struct json *value = NULL;
    char host[256];
    int port, status = 0;
    arena_init(&a);
    if (mcp_json_read(&a, answer, &value) != MCP_JSON_OK)
        value = NULL;
    struct bytes text = json_as_text(json_get(value, "webSocketDebuggerUrl"));
    char *address = arena_string(&a, text), *http = endpoint_as_http(address);
    if (strlen(address) != text.len || !is_web_socket(address) || !url_address(http, host, &port) || strpbrk(http, " \t\r\n"))
        status = error_set(err, ERR_TARGET, "/json/version names no WebSocket, but says: %s", mcp_visible(&a, answer, SHOWN));
    else if (e->session->target->options.headers && *e->session->target->options.headers && !url_same_place(e->url, http))
        status = error_set(err, ERR_TARGET, "/json/version leads to another server, which is not told our headers");
    if (status == 0) {
        free(e->url);
        e->url = xstrdup(http);
    }
    free(http);
    arena_release(&a);
    return status;
}

int endpoint_find(struct endpoint *e, struct session *s, const char *address, struct error **err)
{
    struct buf answer;
    *e = (struct endpoint){.session = s, .url = endpoint_as_http(address)};
    if (is_web_socket(address))
        return 0;
    size_t length = strlen(e->url);
    char *url = strings_printf("%.*s/json/version", (int)(length && e->url[length - 1] == '/' ? length - 1 : length), e->url);
    buf_init(&answer, ANSWER_MAX);
    int status = get(e, url, &answer, err);
    if (status == 0)
        status = read_version(e, buf_bytes(&answer), err);
    buf_release(&answer);
    free(url);
    return status;
}

void endpoint_release(struct endpoint *e)
{
    free(e->url);
    e->url = NULL;
}

CURL *endpoint_connect(struct endpoint *e, struct error **err)
{
    CURL *c = make_easy(e, e->url);
    curl_easy_setopt(c, CURLOPT_CONNECT_ONLY, 1L);
    CURLcode code = curl_easy_perform(c);
    if (code == CURLE_OK)
        return c;
    failed(e, "no connection", code, err);
    curl_easy_cleanup(c);
    return NULL;
}
