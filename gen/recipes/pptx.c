/* pptx: slides with a title and lines of text. One master, one layout and one theme, as small as the format
 * allows. */
#include <inttypes.h>
#include <stdio.h>

#include "gen/recipes/ooxml.h"

enum { SLIDES_MAX = 500, LINES_MAX = 20, WORDS_A_LINE = 5 };

#define NAMESPACES                                                                                           \
    "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"" OOXML_RELATIONS "\" "     \
    "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\""
#define TYPE "application/vnd.openxmlformats-officedocument.presentationml."
#define TREE_HEAD                                                                                            \
    "<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" "                                                      \
    "name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
#define TREE_TAIL "</p:spTree></p:cSld>"

static void put_line(const struct json *parameters, int64_t slide, int64_t line, struct buf *out)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_OFFICE, (uint64_t)(slide * LINES_MAX + line));
    recipe_words(&rng, recipe_bytes(parameters, "script"), WORDS_A_LINE, out);
}

/* The first slide has the document's title, the others that with their number. */
static void put_slide_title(const struct json *parameters, int64_t slide, struct buf *out)
{
    recipe_title(parameters, STREAM_OFFICE, out);
    if (slide)
        buf_addf(out, " (%" PRId64 ")", slide + 1);
}

static void put_shape_head(struct buf *out, int id, const char *type, unsigned top, unsigned height)
{
    buf_addf(out,
             "<p:sp><p:nvSpPr><p:cNvPr id=\"%d\" name=\"%s\"/><p:cNvSpPr/><p:nvPr><p:ph "
             "type=\"%s\"/></p:nvPr></p:nvSpPr>"
             "<p:spPr><a:xfrm><a:off x=\"457200\" y=\"%u\"/><a:ext cx=\"8229600\" cy=\"%u\"/></a:xfrm>"
             "<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>",
             id, type, type, top, height);
}

static void put_slide(const struct json *parameters, int64_t slide, struct buf *out)
{
    int64_t lines = recipe_int(parameters, "lines");
    struct buf title;
    buf_init(&title, 1 << 12);
    put_slide_title(parameters, slide, &title);
    buf_add_string(out, OOXML_HEAD "<p:sld " NAMESPACES ">" TREE_HEAD);
    put_shape_head(out, 2, "title", 274638, 1143000);
    buf_add_string(out, "<a:p><a:r><a:t>");
    recipe_escape(out, buf_bytes(&title));
    buf_add_string(out, "</a:t></a:r></a:p></p:txBody></p:sp>");
    put_shape_head(out, 3, "body", 1600200, 4525963);
    for (int64_t i = 0; i < lines; i++) {
        buf_add_string(out, "<a:p><a:r><a:t>");
        put_line(parameters, slide, i, out);
        buf_add_string(out, "</a:t></a:r></a:p>");
    }
    buf_add_string(out, lines ? "" : "<a:p/>");
    buf_add_string(out, "</p:txBody></p:sp>" TREE_TAIL "</p:sld>");
    buf_release(&title);
}

static void put_presentation(int64_t slides, struct buf *out)
{
    buf_add_string(out, OOXML_HEAD "<p:presentation " NAMESPACES
                                   "><p:sldMasterIdLst><p:sldMasterId id=\"2147483648\" "
                                   "r:id=\"rId1\"/></p:sldMasterIdLst><p:sldIdLst>");
    for (int64_t i = 0; i < slides; i++)
        buf_addf(out, "<p:sldId id=\"%" PRId64 "\" r:id=\"rId%" PRId64 "\"/>", 256 + i, i + 3);
    buf_add_string(
        out, "</p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/><p:notesSz cx=\"6858000\" cy=\"9144000\"/>"
             "</p:presentation>");
}

static void put_overrides(int64_t slides, struct buf *out)
{
    buf_add_string(out, "<Override PartName=\"/ppt/slideMasters/slideMaster1.xml\" ContentType=\"" TYPE
                        "slideMaster+xml\"/>"
                        "<Override PartName=\"/ppt/slideLayouts/slideLayout1.xml\" ContentType=\"" TYPE
                        "slideLayout+xml\"/>"
                        "<Override PartName=\"/ppt/theme/theme1.xml\" "
                        "ContentType=\"application/vnd.openxmlformats-officedocument.theme+xml\"/>");
    for (int64_t i = 1; i <= slides; i++)
        buf_addf(
            out,
            "<Override PartName=\"/ppt/slides/slide%" PRId64 ".xml\" ContentType=\"" TYPE "slide+xml\"/>", i);
}

static void put_theme(struct buf *out)
{
    static const char *const colours[] = {"dk1",     "lt1",     "dk2",     "lt2",     "accent1", "accent2",
                                          "accent3", "accent4", "accent5", "accent6", "hlink",   "folHlink"};
    static const char *const values[] = {"000000", "FFFFFF", "1F497D", "EEECE1", "4F81BD", "C0504D",
                                         "9BBB59", "8064A2", "4BACC6", "F79646", "0000FF", "800080"};
    static const char *const lists[][2] = {
        {"fillStyleLst", "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>"},
        {"lnStyleLst", "<a:ln><a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill></a:ln>"},
        {"effectStyleLst", "<a:effectStyle><a:effectLst/></a:effectStyle>"},
        {"bgFillStyleLst", "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>"}};
    buf_add_string(out, OOXML_HEAD "<a:theme " NAMESPACES
                                   " name=\"plain\"><a:themeElements><a:clrScheme name=\"plain\">");
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        buf_addf(out, "<a:%s><a:srgbClr val=\"%s\"/></a:%s>", colours[i], values[i], colours[i]);
    buf_add_string(
        out,
        "</a:clrScheme><a:fontScheme name=\"plain\">"
        "<a:majorFont><a:latin typeface=\"Arial\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/></a:majorFont>"
        "<a:minorFont><a:latin typeface=\"Arial\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/></a:minorFont>"
        "</a:fontScheme><a:fmtScheme name=\"plain\">");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) /* each list needs three */
        buf_addf(out, "<a:%s>%s%s%s</a:%s>", lists[i][0], lists[i][1], lists[i][1], lists[i][1], lists[i][0]);
    buf_add_string(out, "</a:fmtScheme></a:themeElements></a:theme>");
}

/* Master, layout and theme. */
static void add_frame(struct ooxml *package)
{
    static const char *const master_relations[] = {"slideLayout", "../slideLayouts/slideLayout1.xml", "theme",
                                                   "../theme/theme1.xml", NULL};
    static const char *const layout_relations[] = {"slideMaster", "../slideMasters/slideMaster1.xml", NULL};
    buf_add_string(&package->part, OOXML_HEAD
                   "<p:sldMaster " NAMESPACES ">" TREE_HEAD TREE_TAIL
                   "<p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" "
                   "accent2=\"accent2\" accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" "
                   "accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"/><p:sldLayoutIdLst>"
                   "<p:sldLayoutId id=\"2147483649\" r:id=\"rId1\"/></p:sldLayoutIdLst></p:sldMaster>");
    ooxml_part(package, "ppt/slideMasters/slideMaster1.xml");
    ooxml_relations(package, "ppt/slideMasters/_rels/slideMaster1.xml.rels", master_relations);
    buf_add_string(&package->part,
                   OOXML_HEAD "<p:sldLayout " NAMESPACES ">" TREE_HEAD TREE_TAIL "</p:sldLayout>");
    ooxml_part(package, "ppt/slideLayouts/slideLayout1.xml");
    ooxml_relations(package, "ppt/slideLayouts/_rels/slideLayout1.xml.rels", layout_relations);
    put_theme(&package->part);
    ooxml_part(package, "ppt/theme/theme1.xml");
}

static void add_slides(struct ooxml *package, const struct json *parameters)
{
    static const char *const relations[] = {"slideLayout", "../slideLayouts/slideLayout1.xml", NULL};
    int64_t slides = recipe_int(parameters, "slides");
    char name[64];
    for (int64_t i = 0; i < slides; i++) {
        put_slide(parameters, i, &package->part);
        snprintf(name, sizeof name, "ppt/slides/slide%" PRId64 ".xml", i + 1);
        ooxml_part(package, name);
        snprintf(name, sizeof name, "ppt/slides/_rels/slide%" PRId64 ".xml.rels", i + 1);
        ooxml_relations(package, name, relations);
    }
}

static void add_presentation(struct ooxml *package, int64_t slides)
{
    struct arena scratch;
    arena_init(&scratch);
    put_presentation(slides, &package->part);
    ooxml_part(package, "ppt/presentation.xml");
    const char **pairs = arena_alloc(&scratch, (size_t)(2 * (slides + 2) + 1) * sizeof *pairs);
    const char *const fixed[] = {"slideMaster", "slideMasters/slideMaster1.xml", "theme", "theme/theme1.xml"};
    for (size_t i = 0; i < 4; i++)
        pairs[i] = fixed[i];
    for (int64_t i = 0; i < slides; i++) {
        pairs[4 + 2 * i] = "slide";
        pairs[5 + 2 * i] = arena_printf(&scratch, "slides/slide%" PRId64 ".xml", i + 1);
    }
    ooxml_relations(package, "ppt/_rels/presentation.xml.rels", pairs);
    arena_release(&scratch);
}

static int pptx_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t slides = recipe_int(parameters, "slides");
    struct ooxml package;
    struct buf title, overrides;
    buf_init(&title, 1 << 12);
    buf_init(&overrides, 1 << 20);
    recipe_title(parameters, STREAM_OFFICE, &title);
    put_overrides(slides, &overrides);
    ooxml_begin(&package, out, "ppt/presentation.xml", "presentationml.presentation.main",
                buf_bytes(&overrides), buf_bytes(&title));
    add_presentation(&package, slides);
    add_frame(&package);
    add_slides(&package, parameters);
    ooxml_end(&package);
    buf_release(&overrides);
    buf_release(&title);
    return recipe_made(out, "pptx", err);
}

static struct json *pptx_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t slides = recipe_int(parameters, "slides"), lines = slides * recipe_int(parameters, "lines");
    if (bytes_equal_string(name, "slides"))
        return json_integer(a, slides);
    if (bytes_equal_string(name, "lines"))
        return json_integer(a, lines);
    if (bytes_equal_string(name, "words"))
        return json_integer(a, lines * WORDS_A_LINE);
    if (bytes_equal_string(name, "title"))
        return recipe_title_fact(parameters, STREAM_OFFICE, a);
    bool title = bytes_equal_string(name, "last-title"),
         line = lines && bytes_equal_string(name, "first-line");
    if (!title && !line)
        return NULL;
    struct buf text;
    buf_init(&text, 1 << 16);
    if (title)
        put_slide_title(parameters, slides - 1, &text);
    else
        put_line(parameters, 0, 0, &text);
    return recipe_text_fact(a, &text);
}

static int pptx_check(const struct json *parameters, const char *where, struct error **err)
{
    return recipe_check_line(parameters, "title", where, err);
}

static const struct recipe_parameter parameters_table[] = {
    {"slides", "3", "each with a title", RECIPE_INT, 1, SLIDES_MAX, NULL},
    {"lines", "3", "lines below a slide's title", RECIPE_INT, 0, LINES_MAX, NULL},
    {"script", "\"ascii\"", "which words", RECIPE_ONE_OF, 0, 0, recipe_scripts},
    {"title", "\"\"", "of the first slide and in the properties; empty: made up", RECIPE_BYTES, 0, 200, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"slides", "lines", "words", "title", "last-title", "first-line", NULL};

const struct recipe recipe_pptx = {
    .name = "pptx",
    .doc = "a presentation (Office Open XML); lines and words are those below the titles",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = pptx_make,
    .fact = pptx_fact,
    .check = pptx_check,
};
