/* html: a page with paragraphs, links and the table of articles, in an encoding that it declares or, with
 * charset "none", in UTF-8 that it does not declare. */
#include <inttypes.h>

#include "base/error.h"
#include "gen/charset.h"
#include "gen/recipes/articles.h"

enum { PARAGRAPHS_MAX = 1000, LINKS_MAX = 1000, ROWS_MAX = 20000, WORDS_A_PARAGRAPH = 15 };

/* What is declared, what is used, and the words that it can write beside ASCII. */
static const struct page_charset {
    const char *name, *declared, *encoding, *script;
} charsets[] = {
    {"utf-8", "utf-8", "utf-8", NULL},
    {"latin-1", "iso-8859-1", "latin-1", "latin"},
    {"shift-jis", "shift_jis", "shift-jis", "cjk"},
    {"windows-1251", "windows-1251", "windows-1251", "cyrillic"},
    {"none", NULL, "utf-8", NULL},
};
static const char *const charset_values[] = {"utf-8", "latin-1", "shift-jis", "windows-1251", "none", NULL};

static const struct page_charset *charset_of(const struct json *parameters)
{
    size_t i = 0;
    while (!bytes_equal_string(recipe_bytes(parameters, "charset"), charsets[i].name))
        i++;
    return &charsets[i];
}

static void put_paragraph(const struct json *parameters, int64_t index, struct buf *out)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_HTML, (uint64_t)index);
    recipe_words(&rng, recipe_bytes(parameters, "script"), WORDS_A_PARAGRAPH, out);
}

static void put_table(const struct json *parameters, struct buf *out)
{
    int64_t rows = recipe_int(parameters, "rows");
    buf_add_string(out, "<table>\n<tr>");
    for (size_t i = 0; i < ARTICLE_COLUMNS; i++)
        buf_addf(out, "<th>%s</th>", article_columns[i]);
    buf_add_string(out, "</tr>\n");
    for (int64_t i = 0; i < rows && !out->overflow; i++) {
        struct article row = article_at(parameters, i);
        buf_addf(out, "<tr><td>%" PRId64 "</td><td>", row.id);
        article_put_name(&row, out);
        buf_add_string(out, "</td><td>");
        recipe_decimal(out, row.cents, 2);
        buf_addf(out, "</td><td>%" PRId64 "</td><td>%s</td><td>", row.quantity,
                 article_categories[row.category]);
        article_put_date(&row, out);
        buf_add_string(out, "</td></tr>\n");
    }
    buf_add_string(out, "</table>\n");
}

static void put_body(const struct json *parameters, struct bytes title, struct buf *out)
{
    int64_t paragraphs = recipe_int(parameters, "paragraphs"), links = recipe_int(parameters, "links");
    buf_add_string(out, "<body>\n<h1>");
    recipe_escape(out, title);
    buf_add_string(out, "</h1>\n");
    for (int64_t i = 0; i < paragraphs; i++) {
        buf_add_string(out, "<p>");
        put_paragraph(parameters, i, out);
        buf_add_string(out, "</p>\n");
    }
    buf_add_string(out, links ? "<ul>\n" : "");
    for (int64_t i = 1; i <= links; i++)
        buf_addf(out, "<li><a href=\"page-%" PRId64 ".html\">page %" PRId64 "</a></li>\n", i, i);
    buf_add_string(out, links ? "</ul>\n" : "");
    if (recipe_int(parameters, "rows"))
        put_table(parameters, out);
    buf_add_string(out, "</body>\n</html>\n");
}

static int html_make(const struct json *parameters, struct buf *out, struct error **err)
{
    const struct page_charset *charset = charset_of(parameters);
    struct buf page, title;
    buf_init(&page, recipe_stage_max(out));
    buf_init(&title, 1 << 12);
    recipe_title(parameters, STREAM_HTML, &title);
    buf_add_string(&page, "<!DOCTYPE html>\n<html>\n<head>\n");
    if (charset->declared)
        buf_addf(&page, "<meta charset=\"%s\">\n", charset->declared);
    buf_add_string(&page, "<title>");
    recipe_escape(&page, buf_bytes(&title));
    buf_add_string(&page, "</title>\n</head>\n");
    put_body(parameters, buf_bytes(&title), &page);
    charset_encode(charset_find(bytes_of_string(charset->encoding)), buf_bytes(&page), out);
    int status = recipe_made(page.overflow ? &page : out, "html", err);
    buf_release(&title);
    buf_release(&page);
    return status;
}

static struct json *html_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t paragraphs = recipe_int(parameters, "paragraphs"), links = recipe_int(parameters, "links");
    if (bytes_equal_string(name, "title"))
        return recipe_title_fact(parameters, STREAM_HTML, a);
    if (bytes_equal_string(name, "paragraphs"))
        return json_integer(a, paragraphs);
    if (bytes_equal_string(name, "links"))
        return json_integer(a, links);
    if (bytes_equal_string(name, "words"))
        return json_integer(a, paragraphs * WORDS_A_PARAGRAPH);
    if (bytes_equal_string(name, "last-link") && links)
        return json_text(a, arena_printf(a, "page-%" PRId64 ".html", links));
    if (bytes_equal_string(name, "first-line") && paragraphs) {
        struct buf line;
        buf_init(&line, 1 << 12);
        put_paragraph(parameters, 0, &line);
        return recipe_text_fact(a, &line);
    }
    return articles_fact(parameters, recipe_int(parameters, "rows"), name, a);
}

static bool can_write(const struct page_charset *charset, struct bytes text)
{
    struct buf out;
    buf_init(&out, 4 * text.len + 4);
    bool lost = charset_encode(charset_find(bytes_of_string(charset->encoding)), text, &out) != 0;
    buf_release(&out);
    return !lost;
}

static int html_check(const struct json *parameters, const char *where, struct error **err)
{
    const struct page_charset *charset = charset_of(parameters);
    struct bytes script = recipe_bytes(parameters, "script"), title = recipe_bytes(parameters, "title");
    TRY(recipe_check_line(parameters, "title", where, err));
    if (charset->script && !bytes_equal_string(script, "ascii") &&
        !bytes_equal_string(script, charset->script))
        return error_set(err, ERR_INPUT, "%s: script: found '%.*s', expected ascii or %s, which %s can write",
                         where, BYTES_ARG(script), charset->script, charset->name);
    if (!can_write(charset, title))
        return error_set(err, ERR_INPUT, "%s: title: found '%.*s', expected characters that %s can write",
                         where, BYTES_ARG(title), charset->name);
    return 0;
}

/* Every word of a script but ASCII has a byte that UTF-8 does not have there; a title may be anything. */
static int html_utf8(const struct json *parameters)
{
    return charset_of(parameters)->script ? -1 : 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"paragraphs", "3", "of 15 words", RECIPE_INT, 0, PARAGRAPHS_MAX, NULL},
    {"links", "5", "to page-1.html, page-2.html, ...", RECIPE_INT, 0, LINKS_MAX, NULL},
    {"rows", "10", "rows of the table, without the header; 0: no table", RECIPE_INT, 0, ROWS_MAX, NULL},
    {"charset", "\"utf-8\"", "its encoding, declared; none: UTF-8 that is not declared", RECIPE_ONE_OF, 0, 0,
     charset_values},
    {"script", "\"ascii\"", "which words", RECIPE_ONE_OF, 0, 0, recipe_scripts},
    {"title", "\"\"", "of the page and its heading; empty: made up", RECIPE_BYTES, 0, 200, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"title", "paragraphs", "words",        "first-line",
                                    "links", "last-link",  ARTICLES_FACTS, NULL};

const struct recipe recipe_html = {
    .name = "html",
    .doc = "a page with paragraphs, links and a table that has the rows of csv; words are those of the "
           "paragraphs",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = html_make,
    .fact = html_fact,
    .check = html_check,
    .utf8 = html_utf8,
};
