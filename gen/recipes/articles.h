/* The table of articles that csv, ndjson, xlsx, sqlite and html hold: of one seed and number of rows, all
 * five have the same rows and so the same sums. Prices are cents, so every sum is exact; each row has a
 * stream of its own. */
#ifndef GEN_RECIPES_ARTICLES_H
#define GEN_RECIPES_ARTICLES_H

#include "gen/recipes/recipes.h"

enum { ARTICLE_COLUMNS = 6, ARTICLE_CATEGORIES = 6 };

extern const char *const article_columns[ARTICLE_COLUMNS]; /* id, name, price, quantity, category, date */
extern const char *const article_categories[ARTICLE_CATEGORIES]; /* in the order of their names */

struct article {
    int64_t id, cents, quantity; /* id: index + 1 */
    unsigned category, day;      /* day 0 is 2020-01-01; all lie before 2026 */
    unsigned form;               /* 0..7, for who spells some names in another way */
    const char *adjective, *noun;
};

struct article article_at(const struct json *parameters, int64_t index);
void article_put_name(const struct article *article, struct buf *out); /* "red kettle" */
void article_put_date(const struct article *article, struct buf *out); /* "2024-02-29" */

/* rows, columns, sum.*, max.*, min.* and count.CATEGORY of the first `rows` articles; NULL for any other
 * name, and for the least and greatest of no rows. */
struct json *articles_fact(const struct json *parameters, int64_t rows, struct bytes name, struct arena *a);

/* The names that articles_fact knows, for the list of a recipe's facts. */
#define ARTICLES_FACTS                                                                                       \
    "rows", "columns", "sum.price", "sum.quantity", "sum.value", "max.quantity", "min.quantity",             \
        "max.price", "min.price", "count.books", "count.food", "count.garden", "count.paper", "count.tools", \
        "count.toys"

#endif
