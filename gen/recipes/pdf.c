/* pdf: pages of lines of words. ASCII and Latin text uses Helvetica, which every reader has, in WinAnsi;
 * Cyrillic and CJK a composite font whose codes are UTF-16 and which says so in a ToUnicode map, so text can
 * be taken out of it; no font program is embedded. Streams are not compressed, there are no dates. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "gen/charset.h"
#include "gen/recipes/recipes.h"

enum { PAGES_MAX = 500, LINES_MAX = 50, WORDS_MAX = 8, PAGE_HEIGHT = 842, LEADING = 15, MARGIN = 60 };
/* Objects: 1 catalog, 2 pages, 3 font, 4 information, 5 to 7 what a composite font needs; then two for each
 * page. */
enum { CATALOG = 1, PAGES, FONT, INFORMATION, DESCENDANT, DESCRIPTOR, TO_UNICODE, FIRST_PAGE };

static const char *const scripts[] = {"ascii", "latin", "cyrillic", "cjk", NULL};

struct pdf {
    struct buf *out;
    size_t start, offsets[FIRST_PAGE + 2 * PAGES_MAX]; /* by object; 0: not there */
};

static bool is_composite(const struct json *parameters)
{
    struct bytes script = recipe_bytes(parameters, "script");
    return bytes_equal_string(script, "cyrillic") || bytes_equal_string(script, "cjk");
}

static void begin_object(struct pdf *pdf, int number)
{
    pdf->offsets[number] = pdf->out->len - pdf->start;
    buf_addf(pdf->out, "%d 0 obj\n", number);
}

static void end_object(struct pdf *pdf)
{
    buf_add_string(pdf->out, "endobj\n");
}

static void put_stream(struct pdf *pdf, int number, struct bytes data)
{
    begin_object(pdf, number);
    buf_addf(pdf->out, "<< /Length %zu >>\nstream\n", data.len);
    buf_add(pdf->out, data);
    buf_add_string(pdf->out, "\nendstream\n");
    end_object(pdf);
}

/* Text in a given encoding as a string of hex digits. */
static void put_hex(struct buf *out, const char *charset, struct bytes text)
{
    struct buf encoded;
    buf_init(&encoded, 4 * text.len + 4);
    charset_encode(charset_find(bytes_of_string(charset)), text, &encoded);
    buf_add_byte(out, '<');
    for (size_t i = 0; i < encoded.len; i++)
        buf_addf(out, "%02X", encoded.data[i]);
    buf_add_byte(out, '>');
    buf_release(&encoded);
}

/* In parentheses, which people can read in the file. */
static void put_latin(struct buf *out, struct bytes text)
{
    struct buf encoded;
    buf_init(&encoded, text.len + 4);
    charset_encode(charset_find(BYTES_LITERAL("latin-1")), text, &encoded);
    buf_add_byte(out, '(');
    for (size_t i = 0; i < encoded.len; i++) {
        uint8_t c = encoded.data[i];
        if (c == '(' || c == ')' || c == '\\')
            buf_addf(out, "\\%c", c);
        else if (c < 0x80)
            buf_add_byte(out, c);
        else
            buf_addf(out, "\\%03o", c);
    }
    buf_add_byte(out, ')');
    buf_release(&encoded);
}

static void put_line(const struct json *parameters, int64_t page, int64_t line, struct buf *out)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_PDF, (uint64_t)(page * LINES_MAX + line));
    recipe_words(&rng, recipe_bytes(parameters, "script"), recipe_int(parameters, "words"), out);
}

static void put_page(struct pdf *pdf, const struct json *parameters, int64_t page)
{
    int number = FIRST_PAGE + 2 * (int)page;
    int64_t lines = recipe_int(parameters, "lines");
    struct buf text, line;
    buf_init(&text, RECIPE_MAKE_MAX);
    buf_init(&line, 1 << 12);
    begin_object(pdf, number);
    buf_addf(pdf->out,
             "<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 %d] /Contents %d 0 R "
             "/Resources << /Font << /F1 %d 0 R >> >> >>\n",
             PAGES, PAGE_HEIGHT, number + 1, FONT);
    end_object(pdf);
    buf_addf(&text, "BT\n/F1 11 Tf\n%d TL\n%d %d Td\n", LEADING, MARGIN, PAGE_HEIGHT - MARGIN);
    for (int64_t i = 0; i < lines; i++) {
        buf_clear(&line);
        put_line(parameters, page, i, &line);
        if (is_composite(parameters))
            put_hex(&text, "utf-16be", buf_bytes(&line));
        else
            put_latin(&text, buf_bytes(&line));
        buf_add_string(&text, " Tj T*\n");
    }
    buf_add_string(&text, "ET");
    put_stream(pdf, number + 1, buf_bytes(&text));
    buf_release(&line);
    buf_release(&text);
}

/* A range of a ToUnicode map lies within one high byte; a block has at most a hundred. */
static void put_to_unicode(struct pdf *pdf)
{
    enum { SURROGATES = 0xd8, AFTER_SURROGATES = 0xe0, BLOCK = 62, RANGES = 256 - 8 };
    struct buf map;
    buf_init(&map, 1 << 16);
    buf_add_string(&map, "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
                         "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
                         "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
                         "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n");
    for (unsigned i = 0; i < RANGES; i++) {
        unsigned high = i < SURROGATES ? i : i - SURROGATES + AFTER_SURROGATES;
        if (i % BLOCK == 0)
            buf_addf(&map, "%d beginbfrange\n", BLOCK);
        buf_addf(&map, "<%02X00> <%02XFF> <%02X00>\n", high, high, high);
        if (i % BLOCK == BLOCK - 1)
            buf_add_string(&map, "endbfrange\n");
    }
    buf_add_string(&map, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend");
    put_stream(pdf, TO_UNICODE, buf_bytes(&map));
    buf_release(&map);
}

/* All glyphs but the space are taken to have one width; eight long words must fit onto a line. A wide space
 * would be read as the gap between two columns. */
static void put_composite_font(struct pdf *pdf, bool cjk)
{
    begin_object(pdf, FONT);
    buf_addf(
        pdf->out,
        "<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H /DescendantFonts [%d 0 R] "
        "/ToUnicode %d 0 R >>\n",
        DESCENDANT, TO_UNICODE);
    end_object(pdf);
    begin_object(pdf, DESCENDANT);
    buf_addf(pdf->out,
             "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /CIDSystemInfo << /Registry (Adobe) "
             "/Ordering (Identity) /Supplement 0 >> /DW %d /W [32 [250]] /FontDescriptor %d 0 R >>\n",
             cjk ? 1000 : 500, DESCRIPTOR);
    end_object(pdf);
    begin_object(pdf, DESCRIPTOR);
    buf_add_string(pdf->out, "<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 -200 1000 900] "
                             "/ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>\n");
    end_object(pdf);
    put_to_unicode(pdf);
}

static void put_font(struct pdf *pdf, const struct json *parameters)
{
    if (is_composite(parameters)) {
        put_composite_font(pdf, bytes_equal_string(recipe_bytes(parameters, "script"), "cjk"));
        return;
    }
    begin_object(pdf, FONT);
    buf_add_string(pdf->out,
                   "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>\n");
    end_object(pdf);
}

static void put_head(struct pdf *pdf, const struct json *parameters)
{
    int64_t pages = recipe_int(parameters, "pages");
    struct buf title;
    buf_init(&title, 1 << 12);
    recipe_title(parameters, STREAM_PDF, &title);
    buf_add_string(pdf->out, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    begin_object(pdf, CATALOG);
    buf_addf(pdf->out, "<< /Type /Catalog /Pages %d 0 R >>\n", PAGES);
    end_object(pdf);
    begin_object(pdf, PAGES);
    buf_add_string(pdf->out, "<< /Type /Pages /Kids [");
    for (int64_t i = 0; i < pages; i++)
        buf_addf(pdf->out, "%s%d 0 R", i ? " " : "", FIRST_PAGE + 2 * (int)i);
    buf_addf(pdf->out, "] /Count %" PRId64 " >>\n", pages);
    end_object(pdf);
    begin_object(pdf, INFORMATION);
    buf_add_string(pdf->out, "<< /Title ");
    put_hex(pdf->out, "utf-16be-bom", buf_bytes(&title));
    buf_add_string(pdf->out, " /Producer (taskgen) >>\n");
    end_object(pdf);
    buf_release(&title);
}

/* Entries of 20 bytes each; an object that is not there is the free list's end. */
static void put_tail(struct pdf *pdf, int objects)
{
    size_t at = pdf->out->len - pdf->start;
    buf_addf(pdf->out, "xref\n0 %d\n0000000000 65535 f \n", objects);
    for (int i = 1; i < objects; i++)
        if (pdf->offsets[i])
            buf_addf(pdf->out, "%010zu 00000 n \n", pdf->offsets[i]);
        else
            buf_add_string(pdf->out, "0000000000 00001 f \n");
    buf_addf(pdf->out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
             objects, CATALOG, INFORMATION, at);
}

static int pdf_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t pages = recipe_int(parameters, "pages");
    struct pdf *pdf = xcalloc(1, sizeof *pdf);
    pdf->out = out;
    pdf->start = out->len;
    put_head(pdf, parameters);
    put_font(pdf, parameters);
    for (int64_t i = 0; i < pages && !out->overflow; i++)
        put_page(pdf, parameters, i);
    put_tail(pdf, FIRST_PAGE + 2 * (int)pages);
    free(pdf);
    return recipe_made(out, "pdf", err);
}

static struct json *pdf_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t pages = recipe_int(parameters, "pages"), lines = recipe_int(parameters, "lines");
    if (bytes_equal_string(name, "pages"))
        return json_integer(a, pages);
    if (bytes_equal_string(name, "lines"))
        return json_integer(a, pages * lines);
    if (bytes_equal_string(name, "words"))
        return json_integer(a, pages * lines * recipe_int(parameters, "words"));
    if (bytes_equal_string(name, "title"))
        return recipe_title_fact(parameters, STREAM_PDF, a);
    bool first = bytes_equal_string(name, "first-line");
    if (!first && !bytes_equal_string(name, "last-line"))
        return NULL;
    struct buf line;
    buf_init(&line, 1 << 12);
    put_line(parameters, first ? 0 : pages - 1, first ? 0 : lines - 1, &line);
    return recipe_text_fact(a, &line);
}

static int pdf_check(const struct json *parameters, const char *where, struct error **err)
{
    return recipe_check_line(parameters, "title", where, err);
}

/* Its second line has bytes that are none of UTF-8. */
static int pdf_utf8(const struct json *parameters)
{
    return 0;
}

static const struct recipe_parameter parameters_table[] = {
    {"pages", "2", "A4", RECIPE_INT, 1, PAGES_MAX, NULL},
    {"lines", "20", "lines of a page", RECIPE_INT, 1, LINES_MAX, NULL},
    {"words", "5", "words of a line, with one space between", RECIPE_INT, 1, WORDS_MAX, NULL},
    {"script", "\"ascii\"", "which words", RECIPE_ONE_OF, 0, 0, scripts},
    RECIPE_TITLE,
    RECIPE_SEED,
};

static const char *const facts[] = {"pages", "lines", "words", "title", "first-line", "last-line", NULL};

const struct recipe recipe_pdf = {
    .name = "pdf",
    .doc = "pages of lines, whose text can be taken out; lines and words are those of all pages",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = pdf_make,
    .fact = pdf_fact,
    .check = pdf_check,
    .utf8 = pdf_utf8,
};
