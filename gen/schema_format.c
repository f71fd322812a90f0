/* Texts of formats. Each is a few choices among what the format allows; hosts are this machine or names that
 * never resolve. */
#include <string.h>

#include "gen/schema_internal.h"

struct making {
    struct drawing *d;
    const struct json *schema;
    struct buf *out;
};

static unsigned below(struct making *m, unsigned n)
{
    return (unsigned)draw_below(m->d, m->schema, ROLE_TEXT, n);
}

static void one_of(struct making *m, const char *const *texts, unsigned count)
{
    buf_add_string(m->out, texts[below(m, count)]);
}

static void make_date(struct making *m)
{
    static const char *const extremes[] = {"0001-01-01", "1970-01-01", "2000-02-29", "9999-12-31"};
    if (m->d->boundary)
        one_of(m, extremes, 4);
    else
        buf_addf(m->out, "%u-%02u-%02u", 1990 + below(m, 50), 1 + below(m, 12), 1 + below(m, 28));
}

static void make_time(struct making *m)
{
    static const char *const extremes[] = {"00:00:00Z", "23:59:59Z", "23:59:59.999999+14:00",
                                           "00:00:00-12:00"};
    if (m->d->boundary)
        one_of(m, extremes, 4);
    else
        buf_addf(m->out, "%02u:%02u:%02uZ", below(m, 24), below(m, 60), below(m, 60));
}

static void make_date_time(struct making *m)
{
    make_date(m);
    buf_add_byte(m->out, 'T');
    make_time(m);
}

static void make_duration(struct making *m)
{
    static const char *const texts[] = {"P1D", "PT1S", "P1Y2M3DT4H5M6S", "P2W", "PT0S"};
    one_of(m, texts, 5);
}

static void make_email(struct making *m)
{
    static const char *const texts[] = {"user@example.com", "a@b.example", "first.last+tag@sub.example.org",
                                        "x_y-z@example.net"};
    one_of(m, texts, 4);
}

static void make_hostname(struct making *m)
{
    static const char *const texts[] = {"localhost", "host.invalid", "a.b.c.example",
                                        "xn--bcher-kva.example"};
    one_of(m, texts, 4);
}

static void make_ipv4(struct making *m)
{
    static const char *const extremes[] = {"0.0.0.0", "127.0.0.1", "127.255.255.254", "255.255.255.255"};
    if (m->d->boundary)
        one_of(m, extremes, 4);
    else
        buf_addf(m->out, "127.0.%u.%u", below(m, 256), 1 + below(m, 254));
}

static void make_ipv6(struct making *m)
{
    static const char *const texts[] = {"::1", "::", "2001:db8::1", "fe80::1", "::ffff:127.0.0.1"};
    one_of(m, texts, 5);
}

static void make_uri(struct making *m)
{
    static const char *const texts[] = {"http://127.0.0.1:9/", "http://localhost:9/a/b?c=d&e=%20#f",
                                        "https://host.invalid/", "urn:example:a:1",
                                        "mailto:user@example.com"};
    one_of(m, texts, 5);
}

static void make_uri_reference(struct making *m)
{
    static const char *const texts[] = {"a/b", "?q=1", "#top", "http://127.0.0.1:9/x"};
    one_of(m, texts, 4);
}

static void make_uri_template(struct making *m)
{
    static const char *const texts[] = {"http://127.0.0.1:9/{id}", "/a{?b,c}"};
    one_of(m, texts, 2);
}

static void make_uuid(struct making *m)
{
    static const char *const extremes[] = {"00000000-0000-0000-0000-000000000000",
                                           "ffffffff-ffff-ffff-ffff-ffffffffffff"};
    if (m->d->boundary) {
        one_of(m, extremes, 2);
        return;
    }
    uint64_t high = draw_below(m->d, m->schema, ROLE_TEXT, (uint64_t)1 << 48),
             low = draw_below(m->d, m->schema, ROLE_TEXT, (uint64_t)1 << 48);
    buf_addf(m->out, "%08llx-%04llx-4%03llx-a%03llx-%012llx", (unsigned long long)(high >> 16),
             (unsigned long long)(high & 0xffff), (unsigned long long)(low >> 36 & 0xfff),
             (unsigned long long)(low >> 24 & 0xfff), (unsigned long long)(low & 0xffffffffffff));
}

static void make_pointer(struct making *m)
{
    static const char *const texts[] = {"", "/a", "/a/0/b~1c", "/m~0n"};
    one_of(m, texts, 4);
}

static void make_regex(struct making *m)
{
    static const char *const texts[] = {"^a+$", "[0-9]{2,4}", "(a|b)*c"};
    one_of(m, texts, 3);
}

static void make_base64(struct making *m)
{
    static const char *const texts[] = {"aGVsbG8=", "AAEC", "", "/+8="};
    one_of(m, texts, 4);
}

static const struct {
    const char *name;
    void (*make)(struct making *m);
} formats[] = {
    {"date", make_date},
    {"time", make_time},
    {"date-time", make_date_time},
    {"duration", make_duration},
    {"email", make_email},
    {"idn-email", make_email},
    {"hostname", make_hostname},
    {"idn-hostname", make_hostname},
    {"ipv4", make_ipv4},
    {"ip-address", make_ipv4},
    {"ipv6", make_ipv6},
    {"uri", make_uri},
    {"url", make_uri},
    {"iri", make_uri},
    {"uri-reference", make_uri_reference},
    {"iri-reference", make_uri_reference},
    {"uri-template", make_uri_template},
    {"uuid", make_uuid},
    {"json-pointer", make_pointer},
    {"regex", make_regex},
    {"byte", make_base64},
    {"base64", make_base64},
};

bool schema_format_known(struct bytes format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (bytes_equal_string(format, formats[i].name))
            return true;
    return false;
}

bool draw_format(struct drawing *d, const struct schema_view *v, struct buf *out)
{
    struct making m = {d, v->count ? v->conjuncts[0] : NULL, out};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (bytes_equal_string(v->format, formats[i].name)) {
            formats[i].make(&m);
            return true;
        }
    return false;
}
