/* One request: its head becomes a visit, its body is hashed and taken apart, then its page answers. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/encode.h"
#include "exec/site/site_internal.h"
#include "gen/recipe.h"

void *web_exchange_uri(void *door, const char *uri, struct MHD_Connection *c)
{
    struct web_exchange *x = xcalloc(1, sizeof *x);
    arena_init(&x->arena);
    x->door = door;
    x->site = x->door->site;
    x->uri = arena_string(&x->arena, bytes_slice(bytes_of_string(uri), 0, WEB_TARGET_MAX));
    atomic_init(&x->gone, false);
    x->connection = c;
    web_target_read(&x->arena, bytes_of_string(uri), &x->target);
    web_answer_init(&x->answer, &x->arena);
    return x;
}

static struct bytes header(void *exchange, const char *name)
{
    struct web_exchange *x = exchange;
    const char *value = MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
    return arena_copy(&x->arena, bytes_slice(bytes_of_string(value), 0, WEB_TARGET_MAX));
}

/* What is asked of the record is no visit. */
static bool is_record(const struct web_exchange *x)
{
    return bytes_equal_string(x->target.path, "/record");
}

/* Such a page is answered by the door; who asks for it on a connection that the daemon has is sent there again, on a fresh one. */
static bool is_script(const struct web_exchange *x)
{
    return x->request.page && x->request.page->script;
}

static void send_again(struct web_exchange *x)
{
    x->answer.status = MHD_HTTP_TEMPORARY_REDIRECT;
    web_header(&x->answer, "Location", "%s", x->uri);
    web_header(&x->answer, "Connection", "close");
}

static void begin(struct web_exchange *x, const char *method)
{
    struct web_request *r = &x->request;
    x->begun = true;
    *r = (struct web_request){
        .site = x->site,
        .method = arena_string(&x->arena, bytes_slice(bytes_of_string(method), 0, 32)),
        .room = x->target.room,
        .path = x->target.path,
        .host = header(x, "Host"),
        .cookies = header(x, "Cookie"),
        .range = header(x, "Range"),
        .arena = &x->arena,
    };
    r->parameter_count = web_parameters_read(&x->arena, x->target.query, &r->parameters);
    r->page = web_page_find(r->path, &r->rest);
    if (is_record(x) || is_script(x))
        return;
    struct web_entry *e = x->entry = web_record_new();
    web_visit_target(e, r->method, &x->target);
    web_visit_headers(e, header, x);
    if (strcmp(r->method, "GET") == 0)
        web_form_query(e, r->parameters, r->parameter_count);
    r->visit = &e->v;
    web_record_begin(x->site, e);
    if (MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "Content-Type"))
        x->form = web_form_new(x->connection, x->site, e);
}

static void take_body(struct web_exchange *x, struct bytes part)
{
    if (!x->entry)
        return;
    if (!x->body)
        x->body = sha256_new();
    sha256_add(x->body, part);
    pthread_mutex_lock(&x->site->lock);
    x->entry->v.body_size += part.len;
    pthread_mutex_unlock(&x->site->lock);
    if (x->form)
        web_form_add(x->form, part);
}

static void end_body(struct web_exchange *x)
{
    if (x->form)
        web_form_end(x->form, web_has(&x->request, "charset") ? web_text(&x->request, "charset", "") : NULL);
    x->form = NULL;
    if (!x->body)
        return;
    uint8_t hash[32];
    struct buf hex;
    buf_init(&hex, 64);
    sha256_finish(x->body, hash);
    x->body = NULL;
    hex_encode(&hex, bytes_of(hash, sizeof hash));
    pthread_mutex_lock(&x->site->lock);
    memcpy(x->entry->v.body_sha256, buf_string(&hex), sizeof x->entry->v.body_sha256);
    pthread_mutex_unlock(&x->site->lock);
    buf_release(&hex);
}

static void make_answer(struct web_exchange *x)
{
    struct web_request *r = &x->request;
    if (is_record(x))
        web_record_answer(r, &x->answer);
    else if (is_script(x))
        send_again(x);
    else if (r->page)
        r->page->answer(r, &x->answer);
    else
        web_fault(&x->answer, MHD_HTTP_NOT_FOUND, "there is no such page; see the index at /");
    if (x->answer.body.overflow) {
        buf_clear(&x->answer.body);
        web_fault(&x->answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "longer than a page may be");
    }
}

/* All of the request is there. */
static enum MHD_Result answer(struct web_exchange *x)
{
    if (!x->answered) {
        x->answered = true;
        end_body(x);
        make_answer(x);
    }
    if (x->answer.delay_ms > 0 && !x->waited) {
        x->waited = true;
        web_door_sleep(x, x->answer.delay_ms); /* it is asked for again then */
        return MHD_YES;
    }
    return atomic_load(&x->gone) ? MHD_NO : web_answer_send(x);
}

enum MHD_Result web_exchange_step(void *door, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                                  const char *upload, size_t *upload_size, void **request)
{
    struct web_exchange *x = *request;
    (void)door, (void)c, (void)url, (void)version;
    if (!x->begun) {
        begin(x, method);
        return MHD_YES;
    }
    if (!*upload_size)
        return answer(x);
    take_body(x, bytes_of(upload, *upload_size));
    *upload_size = 0;
    return MHD_YES;
}

void web_exchange_done(void *door, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why)
{
    struct web_exchange *x = *request;
    (void)door, (void)c;
    if (!x)
        return;
    *request = NULL;
    if (x->begun)
        end_body(x);
    if (x->entry) {
        pthread_mutex_lock(&x->site->lock);
        x->entry->v.sent = x->sent;
        pthread_mutex_unlock(&x->site->lock);
        web_record_end(x->site, x->entry, x->was_cut ? WEB_CUT : why == MHD_REQUEST_TERMINATED_COMPLETED_OK ? WEB_WHOLE : WEB_LEFT);
    }
    web_answer_release(&x->answer);
    arena_release(&x->arena);
    free(x);
}
