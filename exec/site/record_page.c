/* The record over HTTP, for whoever runs tasks elsewhere: GET /record (of a room), ?from=NUMBER. */
#include "exec/site/site_internal.h"

void web_record_answer(struct web_request *r, struct web_answer *a)
{
    struct web_visits visits;
    if (!*r->room && !r->site->options.open_record) {
        web_fault(a, MHD_HTTP_FORBIDDEN, "expected a room in front: /~ROOM/record");
        return;
    }
    uint64_t from = (uint64_t)web_number(r, "from", 0, 0, INT64_MAX);
    web_site_visits(r->site, *r->room ? r->room : NULL, from, r->arena, &visits);
    struct json *root = json_new(r->arena, JSON_OBJECT);
    struct json *list = json_set(r->arena, root, "visits", json_new(r->arena, JSON_ARRAY));
    for (size_t i = 0; i < visits.count; i++)
        json_add(list, web_visit_write(r->arena, &visits.items[i]));
    json_set(r->arena, root, "dropped", json_integer(r->arena, (int64_t)visits.dropped));
    json_set(r->arena, root, "now_ms", json_integer(r->arena, web_site_now(r->site)));
    a->type = "application/json";
    json_write(&a->body, root, JSON_COMPACT);
    web_add(a, "\n");
}
