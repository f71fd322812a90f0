/* Numbers: k × 10^-decimals × step, with k between bounds, so that a multipleOf such as 0.01 is met in
 * decimals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/schema_internal.h"

enum { DECIMALS_MOST = 9, USUAL_SPAN = 100, CALM_SPAN = 1, CALM_MS = 500 };

/* Names of what is counted: whole, from 1 on, unless the schema says otherwise. */
static const char counted[] = "id|count|number|index|limit|page|size|length|port|line|max|min|n|top|offset|"
                              "pid|head|tail|depth|width|height";

static const double safe_most = 9007199254740991.0; /* what a double holds as an integer */

/* k = first … last, each standing for k × step / 10^decimals. */
struct raster {
    int64_t step;
    unsigned decimals;
    double first, last; /* infinite where there is no bound */
};

struct json *schema_decimal(struct arena *a, int64_t digits, unsigned decimals)
{
    uint64_t magnitude = digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits, scale = 1;
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    char *text = decimals ? arena_printf(a, "%s%llu.%0*llu", digits < 0 ? "-" : "",
                                         (unsigned long long)(magnitude / scale), (int)decimals,
                                         (unsigned long long)(magnitude % scale))
                          : arena_printf(a, "%lld", (long long)digits);
    size_t length = strlen(text);
    while (decimals && text[length - 1] == '0')
        length--;
    length -= decimals && text[length - 1] == '.';
    struct json *number = json_new(a, JSON_NUMBER);
    number->text = arena_copy(a, bytes_of(text, length));
    return number;
}

static double power_of_ten(unsigned decimals)
{
    double power = 1;
    while (decimals--)
        power *= 10;
    return power;
}

/* A step as an integer over a power of ten; 1 over 10^decimals where it is none. */
static void read_step(struct raster *r, const struct json *multiple)
{
    double step;
    if (!json_as_real(multiple, &step) || !(step > 0))
        return;
    for (unsigned decimals = 0; decimals <= DECIMALS_MOST; decimals++) {
        double scaled = step * power_of_ten(decimals);
        if (scaled < 1e15 && fabs(scaled - round(scaled)) < 1e-6 * scaled && round(scaled) >= 1) {
            r->step = (int64_t)round(scaled);
            r->decimals = decimals;
            return;
        }
    }
}

static void bound_raster(struct raster *r, const struct schema_view *v)
{
    double unit = (double)r->step / power_of_ten(r->decimals);
    r->first = ceil(v->low / unit - 1e-9);
    r->last = floor(v->high / unit + 1e-9);
    if (v->low_open && r->first * unit <= v->low)
        r->first++;
    if (v->high_open && r->last * unit >= v->high)
        r->last--;
}

/* Larger than any span means that every one is wanted. */
static uint64_t span_of(double first, double last)
{
    return last - first >= safe_most ? (uint64_t)safe_most : (uint64_t)(last - first) + 1;
}

static double usual(struct drawing *d, const struct json *schema, const struct raster *r)
{
    double first = r->first, last = r->last, span = USUAL_SPAN * power_of_ten(r->decimals);
    if (isinf(first) && isinf(last))
        first = draw_below(d, schema, ROLE_NUMBER, 4) ? 0 : -span;
    if (isinf(first))
        first = last - span;
    if (isinf(last))
        last = first + span;
    /* Small ones more often: half of the time the whole range, else its beginning. */
    if (last - first > span && draw_below(d, schema, ROLE_NUMBER, 2) == 0)
        last = first + span;
    return first + (double)draw_below(d, schema, ROLE_NUMBER, span_of(first, last));
}

static double extreme(struct drawing *d, const struct json *schema, const struct raster *r)
{
    static const double far[] = {0,
                                 -1,
                                 1,
                                 2147483647,
                                 2147483648,
                                 -2147483648.0,
                                 4294967295.0,
                                 9007199254740991.0,
                                 -9007199254740991.0};
    enum { FAR = sizeof far / sizeof *far };
    bool upper = draw_below(d, schema, ROLE_END, 2);
    double end = upper ? r->last : r->first;
    for (int tries = 0; isinf(end) && tries < FAR; tries++) {
        double one = far[draw_below(d, schema, ROLE_NUMBER, FAR)];
        if (one >= r->first && one <= r->last)
            end = one;
    }
    return isinf(end) ? (upper ? r->first : r->last) : end;
}

/* What takes as long as it says stays short: half a second, or one of whatever the unit is. */
static void calm(struct raster *r, struct bytes name)
{
    int span = schema_name_has(name, "ms|msec|millis|millisecond|timeoutms") ? CALM_MS : CALM_SPAN;
    if (isinf(r->first))
        r->first = r->last < 0 ? r->last - span : 0;
    if (r->last > r->first + span)
        r->last = r->first + span;
}

/* Which numbers there are to choose from. */
static struct raster raster_of(struct drawing *d, const struct schema_view *v, bool integer,
                               struct bytes name)
{
    struct raster r = {.step = 1};
    bool free_decimals = !integer && !v->multiple;
    if (free_decimals && !schema_name_has(name, counted) &&
        draw_below(d, v->count ? v->conjuncts[0] : NULL, ROLE_NUMBER, 2))
        r.decimals = 2;
    read_step(&r, v->multiple);
    bound_raster(&r, v);
    while (free_decimals && r.first > r.last && r.decimals < DECIMALS_MOST) {
        r.decimals++;
        bound_raster(&r, v);
    }
    return r;
}

struct json *draw_number(struct drawing *d, const struct schema_view *v, bool integer, struct bytes name)
{
    const struct json *schema = v->count ? v->conjuncts[0] : NULL;
    struct raster r = raster_of(d, v, integer, name);
    if (schema_takes_time(name))
        calm(&r, name);
    if (!d->boundary && isinf(r.first) && r.last >= 1 && schema_name_has(name, counted))
        r.first = 1;
    double k = r.first > r.last ? r.first : d->boundary ? extreme(d, schema, &r) : usual(d, schema, &r);
    if (isinf(k))
        k = 0;
    if (fabs(k) * (double)r.step > safe_most)
        return json_real(d->a, k * (double)r.step / power_of_ten(r.decimals));
    return schema_decimal(d->a, (int64_t)k * r.step, r.decimals);
}
