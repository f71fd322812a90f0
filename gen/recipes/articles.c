/* The rows of the table of articles, and what they add up to. */
#include "gen/recipes/articles.h"

#include <inttypes.h>

enum { DAYS = 2192 /* 2020-01-01 to 2025-12-31 */ };

const char *const article_columns[ARTICLE_COLUMNS] = {"id", "name", "price", "quantity", "category", "date"};
const char *const article_categories[ARTICLE_CATEGORIES] = {"books", "food",  "garden",
                                                            "paper", "tools", "toys"};
static const char *const adjectives[] = {"small", "large", "red", "blue", "old", "plain", "round", "light"};
static const char *const nouns[] = {"lamp",   "chair",  "brush",  "notebook",
                                    "hammer", "kettle", "basket", "puzzle"};

struct article article_at(const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_ARTICLES, (uint64_t)index);
    struct article row = {.id = index + 1};
    row.adjective = adjectives[rng_below(&rng, 8)];
    row.noun = nouns[rng_below(&rng, 8)];
    row.form = (unsigned)rng_below(&rng, 8);
    row.cents = rng_range(&rng, 50, 99999);
    row.quantity = rng_range(&rng, 1, 500);
    row.category = (unsigned)rng_below(&rng, ARTICLE_CATEGORIES);
    row.day = (unsigned)rng_below(&rng, DAYS);
    return row;
}

void article_put_name(const struct article *article, struct buf *out)
{
    buf_addf(out, "%s %s", article->adjective, article->noun);
}

void article_put_date(const struct article *article, struct buf *out)
{
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned day = article->day, year = 2020, month = 0;
    for (;; year++) {
        unsigned days = year % 4 == 0 ? 366 : 365; /* no century lies in the range */
        if (day < days)
            break;
        day -= days;
    }
    for (;; month++) {
        unsigned days = lengths[month] + (month == 1 && year % 4 == 0);
        if (day < days)
            break;
        day -= days;
    }
    buf_addf(out, "%04u-%02u-%02u", year, month + 1, day + 1);
}

/* All numbers in one pass; the least and greatest mean nothing when there are no rows. */
struct totals {
    int64_t cents, quantity, value, max_quantity, min_quantity, max_cents, min_cents,
        count[ARTICLE_CATEGORIES];
};

static void add_up(const struct json *parameters, int64_t rows, struct totals *t)
{
    *t = (struct totals){.min_quantity = INT64_MAX, .min_cents = INT64_MAX};
    for (int64_t i = 0; i < rows; i++) {
        struct article row = article_at(parameters, i);
        t->cents += row.cents;
        t->quantity += row.quantity;
        t->value += row.cents * row.quantity;
        t->count[row.category]++;
        t->max_quantity = row.quantity > t->max_quantity ? row.quantity : t->max_quantity;
        t->min_quantity = row.quantity < t->min_quantity ? row.quantity : t->min_quantity;
        t->max_cents = row.cents > t->max_cents ? row.cents : t->max_cents;
        t->min_cents = row.cents < t->min_cents ? row.cents : t->min_cents;
    }
}

static struct json *total_fact(const struct totals *t, bool any, struct bytes name, struct arena *a)
{
    const struct {
        const char *name;
        int64_t value;
        unsigned digits;
        bool always; /* also of an empty table */
    } table[] = {
        {"sum.price", t->cents, 2, true},
        {"sum.quantity", t->quantity, 0, true},
        {"sum.value", t->value, 2, true},
        {"max.quantity", t->max_quantity, 0, false},
        {"min.quantity", t->min_quantity, 0, false},
        {"max.price", t->max_cents, 2, false},
        {"min.price", t->min_cents, 2, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (bytes_equal_string(name, table[i].name) && (any || table[i].always))
            return table[i].digits ? recipe_decimal_fact(a, table[i].value, table[i].digits)
                                   : json_integer(a, table[i].value);
    struct bytes prefix = BYTES_LITERAL("count.");
    for (size_t i = 0; i < ARTICLE_CATEGORIES && bytes_starts(name, prefix); i++)
        if (bytes_equal_string(bytes_slice(name, prefix.len, name.len), article_categories[i]))
            return json_integer(a, t->count[i]);
    return NULL;
}

struct json *articles_fact(const struct json *parameters, int64_t rows, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "rows"))
        return json_integer(a, rows);
    if (bytes_equal_string(name, "columns"))
        return json_integer(a, ARTICLE_COLUMNS);
    if (bytes_find(name, BYTES_LITERAL("."), 0) < 0) /* not one that needs the rows */
        return NULL;
    struct totals totals;
    add_up(parameters, rows, &totals);
    return total_fact(&totals, rows > 0, name, a);
}
