/* What clients of the fixture site send, as far as we read it ourselves: addresses, parameters, cookies, ranges, heads of requests; and the record of a
 * site elsewhere. The first byte says which; what is read must keep its bounds, and a visit that was read must read back as it was written. */
#include <stdlib.h>

#include "exec/site/query.h"
#include "exec/site/raw.h"
#include "exec/site/remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void address(struct arena *a, struct bytes text)
{
    struct web_target t;
    struct bytes rest;
    const struct web_parameter *list;
    web_target_read(a, text, &t);
    check(t.path.len && t.path.len <= WEB_TARGET_MAX && t.query.len <= WEB_TARGET_MAX && t.cut == (text.len > WEB_TARGET_MAX));
    web_page_find(t.path, &rest);
    check(rest.len <= t.path.len);
    size_t count = web_parameters_read(a, t.query, &list), sum = 0;
    check(count <= WEB_PARAMETERS_MAX);
    for (size_t i = 0; i < count; i++)
        sum += list[i].name.len + list[i].value.len;
    check(sum <= t.query.len);
}

static void header(struct arena *a, struct bytes text)
{
    struct bytes value;
    uint64_t from, to;
    (void)a;
    if (web_cookie_read(text, "session", &value))
        check(value.len < text.len);
    for (uint64_t length = 0; length < 3000; length = length * 3 + 1)
        if (web_range_read(text, length, &from, &to) > 0)
            check(from <= to && to < length);
}

/* What is told of a beginning must be told of all that goes on from it. */
static void head(struct arena *a, struct bytes text)
{
    const char *method;
    struct bytes target;
    int told = -1;
    for (size_t n = 0; n <= text.len; n++) {
        int now = web_raw_asked(bytes_slice(text, 0, n));
        check(told < 0 || now == told);
        told = now;
    }
    if (web_raw_line(a, text, &method, &target))
        check(target.len && target.len < text.len);
    check(web_raw_header(text, "host").len <= text.len);
}

static void record(struct arena *a, struct bytes text)
{
    struct web_visits visits;
    struct web_visit again;
    int64_t now;
    if (web_remote_read(text, a, &visits, &now, NULL) < 0)
        return;
    for (size_t i = 0; i < visits.count; i++) {
        struct json *first = web_visit_write(a, &visits.items[i]);
        check(web_visit_read(a, first, &again));
        check(json_equal(first, web_visit_write(a, &again)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(struct arena *a, struct bytes text) = {address, header, head, record};
    struct arena a;
    if (!size)
        return 0;
    uint8_t *copy = malloc(size); /* so that reading past the end is seen */
    for (size_t i = 1; copy && i < size; i++)
        copy[i - 1] = data[i];
    arena_init(&a);
    readers[data[0] % 4](&a, bytes_of(copy, size - 1));
    arena_release(&a);
    free(copy);
    return 0;
}
