/* Tables and listings to scrape: the articles of the recipes csv, ndjson and xlsx, so a template that makes the same content knows their sums. */
#include <inttypes.h>
#include <string.h>

#include "exec/site/content.h"

enum { ROWS_MAX = 20000, SIZE_MAX_A_PAGE = 5000 };

struct rows {
    struct bytes *lines; /* tab-separated; the first is the header */
    int64_t count;       /* without it */
    struct buf text;
};

static bool make_rows(struct web_request *r, struct rows *rows)
{
    int64_t count = web_number(r, "rows", 20, 0, ROWS_MAX);
    struct json *recipe = json_new(r->arena, JSON_OBJECT);
    json_set(r->arena, recipe, "$recipe", json_text(r->arena, "csv"));
    json_set(r->arena, recipe, "rows", json_integer(r->arena, count));
    json_set(r->arena, recipe, "seed", json_integer(r->arena, web_number(r, "seed", 0, 0, INT64_MAX)));
    json_set(r->arena, recipe, "delimiter", json_text(r->arena, "tab"));
    json_set(r->arena, recipe, "quoting", json_text(r->arena, "none"));
    buf_init(&rows->text, WEB_BODY_MAX);
    rows->lines = arena_alloc(r->arena, (size_t)(count + 1) * sizeof *rows->lines);
    rows->count = 0;
    if (content_make(recipe, WEB_BODY_MAX, &rows->text, NULL) < 0)
        return false;
    struct bytes all = buf_bytes(&rows->text);
    int64_t found = 0;
    for (size_t from = 0; from < all.len && found <= count;) {
        ptrdiff_t end = bytes_find(all, BYTES_LITERAL("\n"), from);
        size_t to = end < 0 ? all.len : (size_t)end;
        rows->lines[found++] = bytes_slice(all, from, to);
        from = to + 1;
    }
    rows->count = found - 1;
    return true;
}

static struct bytes cell(struct bytes line, size_t *from)
{
    ptrdiff_t end = bytes_find(line, BYTES_LITERAL("\t"), *from);
    size_t to = end < 0 ? line.len : (size_t)end;
    struct bytes b = bytes_slice(line, *from, to);
    if (bytes_ends(b, BYTES_LITERAL("\r")))
        b.len--;
    *from = to + 1;
    return b;
}

static void put_row(struct web_answer *a, struct bytes line, const char *tag)
{
    web_add(a, "<tr>");
    for (size_t from = 0; from <= line.len;) {
        web_addf(a, "<%s>", tag);
        web_escape(a, cell(line, &from));
        web_addf(a, "</%s>", tag);
    }
    web_add(a, "</tr>\n");
}

static void put_table(struct web_answer *a, const struct rows *rows, int64_t from, int64_t to)
{
    web_add(a, "<table id=\"table\">\n<thead>\n");
    put_row(a, rows->lines[0], "th");
    web_add(a, "</thead>\n<tbody>\n");
    for (int64_t i = from; i < to && i < rows->count; i++)
        put_row(a, rows->lines[i + 1], "td");
    web_add(a, "</tbody>\n</table>\n");
}

static void answer_table(struct web_request *r, struct web_answer *a)
{
    struct rows rows;
    if (make_rows(r, &rows)) {
        web_head(a, web_text(r, "title", "Articles"));
        put_table(a, &rows, 0, rows.count);
    }
    buf_release(&rows.text);
}

static void put_way(struct web_request *r, struct web_answer *a, const char *rel, int64_t page, int64_t rows, int64_t size)
{
    web_addf(a, "<a rel=\"%s\" class=\"%s\" href=\"%s\">%s</a>\n", rel, rel,
             web_link(r, "/table/pages?rows=%lld&amp;seed=%lld&amp;size=%lld&amp;page=%lld", (long long)rows,
                      (long long)web_number(r, "seed", 0, 0, INT64_MAX), (long long)size, (long long)page),
             rel);
}

static void answer_pages(struct web_request *r, struct web_answer *a)
{
    struct rows rows;
    int64_t size = web_number(r, "size", 10, 1, SIZE_MAX_A_PAGE), page = web_number(r, "page", 1, 1, ROWS_MAX);
    if (make_rows(r, &rows)) {
        int64_t pages = (rows.count + size - 1) / size;
        web_head(a, web_text(r, "title", "Articles"));
        web_addf(a, "<p>page <span id=\"page\">%lld</span> of <span id=\"pages\">%lld</span></p>\n", (long long)page, (long long)pages);
        put_table(a, &rows, (page - 1) * size, page * size);
        if (page > 1)
            put_way(r, a, "prev", page - 1, rows.count, size);
        if (page < pages)
            put_way(r, a, "next", page + 1, rows.count, size);
    }
    buf_release(&rows.text);
}

static void answer_cards(struct web_request *r, struct web_answer *a)
{
    static const char *const names[] = {"id", "name", "price", "quantity", "category", "date"};
    struct rows rows;
    if (make_rows(r, &rows)) {
        web_head(a, web_text(r, "title", "Articles"));
        for (int64_t i = 1; i <= rows.count; i++) {
            size_t from = 0;
            web_addf(a, "<article class=\"card\" data-row=\"%lld\">\n", (long long)i);
            for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
                web_addf(a, "<span class=\"%s\">", names[k]);
                web_escape(a, cell(rows.lines[i], &from));
                web_add(a, "</span>\n");
            }
            web_add(a, "</article>\n");
        }
    }
    buf_release(&rows.text);
}

/* The rows as data, for pages that fetch them. */
static void answer_rows(struct web_request *r, struct web_answer *a)
{
    struct rows rows;
    int64_t from = web_number(r, "from", 0, 0, ROWS_MAX), size = web_number(r, "size", 20, 0, SIZE_MAX_A_PAGE);
    a->type = "application/json";
    if (make_rows(r, &rows)) {
        struct json *list = json_new(r->arena, JSON_ARRAY);
        for (int64_t i = from; i < from + size && i < rows.count; i++) {
            struct json *row = json_add(list, json_new(r->arena, JSON_ARRAY));
            for (size_t at = 0; at <= rows.lines[i + 1].len;)
                json_add(row, json_string(r->arena, cell(rows.lines[i + 1], &at)));
        }
        json_write(&a->body, list, JSON_COMPACT);
    }
    buf_release(&rows.text);
}

/* What comes later: by itself after a while, or when the end of the page is scrolled to. */
static void answer_later(struct web_request *r, struct web_answer *a)
{
    bool scroll = web_has(r, "scroll");
    const char *source = web_link(r, "/table/rows?rows=%lld&seed=%lld", (long long)web_number(r, "rows", 20, 0, ROWS_MAX),
                                  (long long)web_number(r, "seed", 0, 0, INT64_MAX));
    web_head(a, web_text(r, "title", "Articles"));
    web_add(a, "<p id=\"state\">loading</p>\n<table id=\"table\"><tbody></tbody></table>\n<div id=\"end\" style=\"height: 50px\"></div>\n<script>\n");
    web_addf(a, "const source = \"%s\", size = %d, body = document.querySelector(\"#table tbody\");\nlet from = 0, busy = false;\n", source,
             scroll ? 20 : SIZE_MAX_A_PAGE);
    web_add(a, "async function more() {\n  if (busy) return;\n  busy = true;\n"
               "  const rows = await (await fetch(source + \"&from=\" + from + \"&size=\" + size)).json();\n"
               "  for (const row of rows) {\n    const line = body.insertRow();\n    line.style.height = \"60px\";\n"
               "    for (const text of row) line.insertCell().textContent = text;\n  }\n"
               "  from += rows.length;\n  document.getElementById(\"state\").textContent = rows.length < size ? \"all \" + from : \"so far \" + from;\n"
               "  busy = rows.length < size;\n}\n");
    if (scroll)
        web_add(a, "new IntersectionObserver(seen => { if (seen.some(s => s.isIntersecting)) more(); }).observe(document.getElementById(\"end\"));\n");
    else
        web_addf(a, "setTimeout(more, %d);\n", (int)web_number(r, "ms", 500, 0, 600000));
    web_add(a, "</script>\n");
}

const struct web_page web_family_table[] = {
    WEB_PAGE("/table", "title=Articles, rows=20, seed=0", "a table", "#table with the rows of the recipe csv of that seed, quoting none", answer_table),
    WEB_PAGE("/table/pages", "title=Articles, rows=20, seed=0, size=10, page=1", "a table in pages",
             "so many of the rows a page; #page, #pages, links a.next and a.prev", answer_pages),
    WEB_PAGE("/table/cards", "title=Articles, rows=20, seed=0", "a listing", "the rows as article.card with .name, .price and so on", answer_cards),
    WEB_PAGE("/table/later", "title=Articles, rows=20, seed=0, ms=500, scroll=", "a table that fills itself",
             "the rows come after so long, or with scroll 20 at a time when #end is seen; #state becomes \"all N\"", answer_later),
    WEB_PAGE("/table/rows", "rows=20, seed=0, from=0, size=20", "rows as data", "a JSON array of arrays of texts", answer_rows),
    {0},
};
