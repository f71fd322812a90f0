/* The parts around a document. The time in the properties is fixed. */
#include "gen/recipes/ooxml.h"

#define PACKAGE "http://schemas.openxmlformats.org/package/2006/"
#define TIME    "2020-01-01T00:00:00Z"

static void put_types(struct buf *out, const char *main_part, const char *main_type, struct bytes overrides)
{
    buf_add_string(out, OOXML_HEAD
                   "<Types xmlns=\"" PACKAGE "content-types\">"
                   "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package."
                   "relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/>");
    buf_addf(
        out,
        "<Override PartName=\"/%s\" ContentType=\"application/vnd.openxmlformats-officedocument.%s+xml\"/>",
        main_part, main_type);
    buf_add_string(
        out, "<Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package."
             "core-properties+xml\"/>");
    buf_add(out, overrides);
    buf_add_string(out, "</Types>");
}

static void put_properties(struct buf *out, struct bytes title)
{
    buf_add_string(
        out, OOXML_HEAD
        "<cp:coreProperties xmlns:cp=\"" PACKAGE "metadata/core-properties\" "
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:title>");
    recipe_escape(out, title);
    buf_add_string(out, "</dc:title><dc:creator>taskgen</dc:creator>"
                        "<dcterms:created xsi:type=\"dcterms:W3CDTF\">" TIME "</dcterms:created>"
                        "<dcterms:modified xsi:type=\"dcterms:W3CDTF\">" TIME
                        "</dcterms:modified></cp:coreProperties>");
}

void ooxml_begin(struct ooxml *package, struct buf *out, const char *main_part, const char *main_type,
                 struct bytes overrides, struct bytes title)
{
    zip_begin(&package->zip, out);
    buf_init(&package->part, recipe_stage_max(out));
    put_types(&package->part, main_part, main_type, overrides);
    ooxml_part(package, "[Content_Types].xml");
    buf_addf(&package->part,
             OOXML_HEAD
             "<Relationships xmlns=\"" PACKAGE "relationships\">"
             "<Relationship Id=\"rId1\" Type=\"" OOXML_RELATIONS "/officeDocument\" Target=\"%s\"/>"
             "<Relationship Id=\"rId2\" Type=\"" PACKAGE
             "relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/></Relationships>",
             main_part);
    ooxml_part(package, "_rels/.rels");
    put_properties(&package->part, title);
    ooxml_part(package, "docProps/core.xml");
}

void ooxml_part(struct ooxml *package, const char *name)
{
    if (package->part.overflow)
        package->zip.out->overflow = true;
    zip_add_text(&package->zip, name, buf_bytes(&package->part));
    buf_clear(&package->part);
}

void ooxml_relations(struct ooxml *package, const char *name, const char *const *pairs)
{
    struct buf *out = &package->part;
    buf_add_string(out, OOXML_HEAD "<Relationships xmlns=\"" PACKAGE "relationships\">");
    for (unsigned i = 0; pairs[2 * i]; i++)
        buf_addf(out, "<Relationship Id=\"rId%u\" Type=\"" OOXML_RELATIONS "/%s\" Target=\"%s\"/>", i + 1,
                 pairs[2 * i], pairs[2 * i + 1]);
    buf_add_string(out, "</Relationships>");
    ooxml_part(package, name);
}

void ooxml_end(struct ooxml *package)
{
    zip_end(&package->zip);
    buf_release(&package->part);
}
