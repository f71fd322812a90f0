/* xlsx: the table of articles as a sheet of typed cells: numbers, texts, dates; and formulas that sum two
 * columns, with their values. */
#include <inttypes.h>

#include "gen/recipes/articles.h"
#include "gen/recipes/ooxml.h"

enum { FIRST_DAY = 43831 /* 2020-01-01 as a spreadsheet counts days */, ROWS_MAX = 100000 };

#define MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

static void put_text_cell(struct buf *out, char column, int64_t row, const char *text)
{
    buf_addf(out, "<c r=\"%c%" PRId64 "\" t=\"inlineStr\"><is><t>%s</t></is></c>", column, row, text);
}

static void put_row(struct buf *out, const struct article *article)
{
    int64_t row = article->id + 1;
    struct buf name;
    buf_init(&name, 64);
    article_put_name(article, &name);
    buf_addf(out, "<row r=\"%" PRId64 "\"><c r=\"A%" PRId64 "\"><v>%" PRId64 "</v></c>", row, row,
             article->id);
    put_text_cell(out, 'B', row, buf_string(&name));
    buf_addf(out, "<c r=\"C%" PRId64 "\" s=\"2\"><v>", row);
    recipe_decimal(out, article->cents, 2);
    buf_addf(out, "</v></c><c r=\"D%" PRId64 "\"><v>%" PRId64 "</v></c>", row, article->quantity);
    put_text_cell(out, 'E', row, article_categories[article->category]);
    buf_addf(out, "<c r=\"F%" PRId64 "\" s=\"1\"><v>%u</v></c></row>", row, FIRST_DAY + article->day);
    buf_release(&name);
}

static void put_sums(struct buf *out, int64_t rows, int64_t cents, int64_t quantity)
{
    int64_t row = rows + 2;
    buf_addf(out, "<row r=\"%" PRId64 "\">", row);
    put_text_cell(out, 'A', row, "total");
    buf_addf(out, "<c r=\"C%" PRId64 "\" s=\"2\"><f>SUM(C2:C%" PRId64 ")</f><v>", row, rows + 1);
    recipe_decimal(out, cents, 2);
    buf_addf(out, "</v></c><c r=\"D%" PRId64 "\"><f>SUM(D2:D%" PRId64 ")</f><v>%" PRId64 "</v></c></row>",
             row, rows + 1, quantity);
}

static void put_sheet(const struct json *parameters, struct buf *out)
{
    int64_t rows = recipe_int(parameters, "rows"), cents = 0, quantity = 0;
    buf_add_string(out, OOXML_HEAD "<worksheet xmlns=\"" MAIN "\"><sheetData><row r=\"1\">");
    for (int i = 0; i < ARTICLE_COLUMNS; i++)
        put_text_cell(out, (char)('A' + i), 1, article_columns[i]);
    buf_add_string(out, "</row>");
    for (int64_t i = 0; i < rows && !out->overflow; i++) {
        struct article article = article_at(parameters, i);
        put_row(out, &article);
        cents += article.cents;
        quantity += article.quantity;
    }
    if (rows && recipe_bool(parameters, "sums"))
        put_sums(out, rows, cents, quantity);
    buf_add_string(out, "</sheetData></worksheet>");
}

/* Cell formats: 0 general, 1 a date, 2 two decimals. */
static const char styles[] = OOXML_HEAD
    "<styleSheet xmlns=\"" MAIN
    "\"><fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Arial\"/></font></fonts>"
    "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill "
    "patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border/></borders>"
    "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>"
    "<cellXfs count=\"3\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
    "<xf numFmtId=\"14\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>"
    "<xf numFmtId=\"2\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
    "applyNumberFormat=\"1\"/></cellXfs>"
    "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>";

static int xlsx_make(const struct json *parameters, struct buf *out, struct error **err)
{
    static const char overrides[] =
        "<Override PartName=\"/xl/worksheets/sheet1.xml\" "
        "ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"
        "<Override PartName=\"/xl/styles.xml\" "
        "ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>";
    static const char *const relations[] = {"worksheet", "worksheets/sheet1.xml", "styles", "styles.xml",
                                            NULL};
    struct ooxml package;
    ooxml_begin(&package, out, "xl/workbook.xml", "spreadsheetml.sheet.main", bytes_of_string(overrides),
                BYTES_LITERAL("articles"));
    buf_add_string(&package.part,
                   OOXML_HEAD "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" OOXML_RELATIONS "\"><sheets><sheet "
                              "name=\"articles\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>");
    ooxml_part(&package, "xl/workbook.xml");
    ooxml_relations(&package, "xl/_rels/workbook.xml.rels", relations);
    buf_add_string(&package.part, styles);
    ooxml_part(&package, "xl/styles.xml");
    put_sheet(parameters, &package.part);
    ooxml_part(&package, "xl/worksheets/sheet1.xml");
    ooxml_end(&package);
    return recipe_made(out, "xlsx", err);
}

static struct json *xlsx_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "sheet"))
        return json_text(a, "articles");
    if (!bytes_equal_string(name, "header"))
        return articles_fact(parameters, recipe_int(parameters, "rows"), name, a);
    struct buf header;
    buf_init(&header, 128);
    for (size_t i = 0; i < ARTICLE_COLUMNS; i++)
        buf_addf(&header, "%s%s", i ? "," : "", article_columns[i]);
    return recipe_text_fact(a, &header);
}

static const struct recipe_parameter parameters_table[] = {
    {"rows", "50", "number of rows, without the header", RECIPE_INT, 0, ROWS_MAX, NULL},
    {"sums", "false", "adds a row \"total\" with formulas that sum price and quantity", RECIPE_BOOL, 0, 0,
     NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {ARTICLES_FACTS, "header", "sheet", NULL};

const struct recipe recipe_xlsx = {
    .name = "xlsx",
    .doc = "the rows of csv as a spreadsheet (Office Open XML) of numbers, texts and dates",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = xlsx_make,
    .fact = xlsx_fact,
};
