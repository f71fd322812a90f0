/* What the files of the watch share: sets of names, the version, capabilities, params, pages of lists. */
#include <stdlib.h>
#include <string.h>

#include "exec/oracle/duty_internal.h"

enum { KEY_MAX = 1 << 20 };

static struct bytes text_of(const struct duty_name *n)
{
    return bytes_of(n->text, n->length);
}

struct duty_name *duty_names_find(const struct duty_names *n, struct bytes text)
{
    for (struct duty_name *one = n->first; one; one = one->next)
        if (bytes_equal(text_of(one), text))
            return one;
    return NULL;
}

struct duty_name *duty_names_add(struct duty_names *n, struct bytes text)
{
    struct duty_name *one = duty_names_find(n, text);
    if (one)
        return one;
    if (n->count == DUTY_NAMES_MAX || text.len > KEY_MAX) {
        n->forgot = true;
        return NULL;
    }
    one = xcalloc(1, sizeof *one + text.len);
    one->length = text.len;
    if (text.len)
        memcpy(one->text, text.data, text.len);
    one->next = n->first;
    n->first = one;
    n->count++;
    return one;
}

void duty_names_clear(struct duty_names *n)
{
    while (n->first) {
        struct duty_name *one = n->first;
        n->first = one->next;
        schema_book_free(one->book);
        free(one);
    }
    *n = (struct duty_names){0};
}

/* Versions are dates, which sort as texts do. */
bool duty_since(const struct duty_watch *w, const char *version)
{
    return w->version && strcmp(w->version, version) >= 0;
}

bool duty_declared(const struct duty_watch *w, const char *pointer)
{
    const struct json *value = json_pointer(w->capabilities, bytes_of_string(pointer));
    return value && !json_is(value, JSON_FALSE) && !json_is(value, JSON_NULL);
}

bool duty_offered(const struct duty_watch *w, const char *pointer)
{
    const struct json *value = json_pointer(w->offered, bytes_of_string(pointer));
    return value && !json_is(value, JSON_FALSE) && !json_is(value, JSON_NULL);
}

const struct json *duty_params(struct duty_watch *w, const struct duty_request *r)
{
    struct json *params = NULL;
    if (!r->kept || !r->length ||
        json_read(&w->scratch, bytes_of(r->params, r->length), NULL, "params", &params, NULL, NULL) < 0)
        return NULL;
    return params;
}

struct bytes duty_key(struct duty_watch *w, const struct json *value)
{
    struct buf text;
    if (!value)
        return BYTES_NONE;
    buf_init(&text, KEY_MAX);
    json_write(&text, value, JSON_COMPACT);
    struct bytes copy = arena_copy(&w->scratch, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

void duty_list_ends(struct duty_list *list, const struct duty_reply *reply)
{
    list->complete = !json_get(reply->result, "nextCursor") && !list->names.forgot;
}
