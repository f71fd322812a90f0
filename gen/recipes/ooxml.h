/* What docx, xlsx and pptx have alike: an Open Packaging (ECMA-376) ZIP archive with content types,
 * relationships and properties. Only gen/recipes/ includes this. */
#ifndef GEN_RECIPES_OOXML_H
#define GEN_RECIPES_OOXML_H

#include "gen/recipes/recipes.h"
#include "gen/recipes/zip_writer.h"

#define OOXML_HEAD      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define OOXML_RELATIONS "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

struct ooxml {
    struct zip_writer zip;
    struct buf part; /* scratch for the part that is being written */
};

/* A document whose main part has the path and the content type given. `overrides` is XML of further
 * <Override> elements,
 * "" for none. Begins the archive with the parts that all have. */
void ooxml_begin(struct ooxml *package, struct buf *out, const char *main_part, const char *main_type,
                 struct bytes overrides, struct bytes title);
/* Adds what stands in package->part under a name, and empties it. */
void ooxml_part(struct ooxml *package, const char *name);
/* Relationships rId1.. of a part: pairs of the last word of a type's URI and a target, NULL at the end. */
void ooxml_relations(struct ooxml *package, const char *name, const char *const *pairs);
void ooxml_end(struct ooxml *package);

#endif
