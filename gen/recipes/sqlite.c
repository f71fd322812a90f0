/* sqlite: a database with the table of articles, and one of their categories with how many articles each has.
 */
#include "base/error.h"
#include "gen/recipes/articles.h"
#include "gen/recipes/sqlite_file.h"

enum { COLUMNS = ARTICLE_COLUMNS + 1, TABLES = 2 };

static const char articles_sql[] =
    "CREATE TABLE articles(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL, "
    "cents INTEGER NOT NULL, quantity INTEGER NOT NULL, category TEXT NOT NULL, date TEXT NOT NULL)";
static const char categories_sql[] =
    "CREATE TABLE categories(id INTEGER PRIMARY KEY, name TEXT NOT NULL, articles INTEGER NOT NULL)";

static void put_article(const void *parameters, int64_t index, struct sqlite_row *row)
{
    struct article article = article_at(parameters, index);
    struct buf text;
    buf_init(&text, 64);
    sqlite_null(row);
    article_put_name(&article, &text);
    sqlite_text(row, buf_bytes(&text));
    sqlite_real(row, (double)article.cents / 100);
    sqlite_integer(row, article.cents);
    sqlite_integer(row, article.quantity);
    sqlite_text(row, bytes_of_string(article_categories[article.category]));
    buf_clear(&text);
    article_put_date(&article, &text);
    sqlite_text(row, buf_bytes(&text));
    buf_release(&text);
}

static void put_category(const void *counts, int64_t index, struct sqlite_row *row)
{
    const int64_t *count = counts;
    sqlite_null(row);
    sqlite_text(row, bytes_of_string(article_categories[index]));
    sqlite_integer(row, count[index]);
}

static int sqlite_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct sqlite_file file;
    int64_t rows = recipe_int(parameters, "rows"), counts[ARTICLE_CATEGORIES] = {0};
    for (int64_t i = 0; i < rows; i++)
        counts[article_at(parameters, i).category]++;
    sqlite_begin(&file, out, (uint32_t)recipe_int(parameters, "page-size"));
    sqlite_add_table(&file, "articles", articles_sql, rows, put_article, parameters);
    sqlite_add_table(&file, "categories", categories_sql, ARTICLE_CATEGORIES, put_category, counts);
    sqlite_end(&file);
    return recipe_made(out, "sqlite", err);
}

static struct json *cents_fact(const struct json *parameters, struct arena *a)
{
    int64_t rows = recipe_int(parameters, "rows"), cents = 0;
    for (int64_t i = 0; i < rows; i++)
        cents += article_at(parameters, i).cents;
    return json_integer(a, cents);
}

static struct json *sqlite_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "columns"))
        return json_integer(a, COLUMNS);
    if (bytes_equal_string(name, "tables"))
        return json_integer(a, TABLES);
    if (bytes_equal_string(name, "table"))
        return json_text(a, "articles");
    if (bytes_equal_string(name, "sum.cents"))
        return cents_fact(parameters, a);
    return articles_fact(parameters, recipe_int(parameters, "rows"), name, a);
}

static int sqlite_check(const struct json *parameters, const char *where, struct error **err)
{
    int64_t size = recipe_int(parameters, "page-size");
    return size & (size - 1) ? error_set(err, ERR_INPUT, "%s: page-size: found %d, expected a power of two",
                                         where, (int)size)
                             : 0;
}

static const struct recipe_parameter parameters_table[] = {
    {"rows", "100", "rows of the table articles", RECIPE_INT, 0, 500000, NULL},
    {"page-size", "4096", "bytes of a page, a power of two", RECIPE_INT, 1024, 65536, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {ARTICLES_FACTS, "sum.cents", "tables", "table", NULL};

const struct recipe recipe_sqlite = {
    .name = "sqlite",
    .doc = "a database: articles (the rows of csv, and cents, the price as a whole number), categories "
           "(name, articles)",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = sqlite_make,
    .fact = sqlite_fact,
    .check = sqlite_check,
};
