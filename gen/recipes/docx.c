/* docx: paragraphs of words of a script. The title stands in the properties, so the body's paragraphs are
 * what the facts count. */
#include "base/utf8.h"
#include "gen/recipes/ooxml.h"

enum { PARAGRAPHS_MAX = 5000, WORDS_MAX = 200 };

static void put_paragraph(const struct json *parameters, int64_t index, struct buf *out)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_OFFICE, (uint64_t)index);
    recipe_words(&rng, recipe_bytes(parameters, "script"), recipe_int(parameters, "words"), out);
}

static void put_document(const struct json *parameters, struct buf *out)
{
    int64_t paragraphs = recipe_int(parameters, "paragraphs");
    buf_add_string(out, OOXML_HEAD
                   "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">"
                   "<w:body>");
    for (int64_t i = 0; i < paragraphs && !out->overflow; i++) {
        buf_add_string(out, "<w:p><w:r><w:t xml:space=\"preserve\">");
        put_paragraph(parameters, i, out);
        buf_add_string(out, "</w:t></w:r></w:p>");
    }
    buf_add_string(out, "<w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr></w:body></w:document>");
}

static int docx_make(const struct json *parameters, struct buf *out, struct error **err)
{
    static const char *const no_relations[] = {NULL};
    struct ooxml package;
    struct buf title;
    buf_init(&title, 1 << 12);
    recipe_title(parameters, STREAM_OFFICE, &title);
    ooxml_begin(&package, out, "word/document.xml", "wordprocessingml.document.main", BYTES_NONE,
                buf_bytes(&title));
    put_document(parameters, &package.part);
    ooxml_part(&package, "word/document.xml");
    ooxml_relations(&package, "word/_rels/document.xml.rels", no_relations);
    ooxml_end(&package);
    buf_release(&title);
    return recipe_made(out, "docx", err);
}

static struct json *docx_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t paragraphs = recipe_int(parameters, "paragraphs");
    if (bytes_equal_string(name, "paragraphs"))
        return json_integer(a, paragraphs);
    if (bytes_equal_string(name, "words"))
        return json_integer(a, paragraphs * recipe_int(parameters, "words"));
    if (bytes_equal_string(name, "title"))
        return recipe_title_fact(parameters, STREAM_OFFICE, a);
    bool first = bytes_equal_string(name, "first-line");
    if (!paragraphs || (!first && !bytes_equal_string(name, "last-line")))
        return NULL;
    struct buf line;
    buf_init(&line, 1 << 16);
    put_paragraph(parameters, first ? 0 : paragraphs - 1, &line);
    return recipe_text_fact(a, &line);
}

static int docx_check(const struct json *parameters, const char *where, struct error **err)
{
    return recipe_check_line(parameters, "title", where, err);
}

static const struct recipe_parameter parameters_table[] = {
    {"paragraphs", "5", "of the body", RECIPE_INT, 0, PARAGRAPHS_MAX, NULL},
    {"words", "20", "words of a paragraph, with one space between", RECIPE_INT, 1, WORDS_MAX, NULL},
    {"script", "\"ascii\"", "which words", RECIPE_ONE_OF, 0, 0, recipe_scripts},
    RECIPE_TITLE,
    RECIPE_SEED,
};

static const char *const facts[] = {"paragraphs", "words", "title", "first-line", "last-line", NULL};

const struct recipe recipe_docx = {
    .name = "docx",
    .doc = "a word processor's document (Office Open XML): paragraphs; lines are paragraphs",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = docx_make,
    .fact = docx_fact,
    .check = docx_check,
};
