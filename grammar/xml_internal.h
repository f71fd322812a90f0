/* Reading our own XML files with libxml2: no network, no document type (so no entities of anybody's), errors
 * as "file:line: …". For grammar/ only. */
#ifndef GRAMMAR_XML_INTERNAL_H
#define GRAMMAR_XML_INTERNAL_H

#include <libxml/tree.h>

#include "base/bytes.h"
#include "grammar/expr.h"

enum { XML_MAX_FILE = 2 << 20 };

/* Parses text. `file` is for messages. The document is the caller's (xmlFreeDoc). */
int xml_parse(const char *file, struct bytes text, xmlDoc **doc, struct error **err);

unsigned xml_line(const xmlNode *node);
const char *xml_name(const xmlNode *node);
/* The attribute's value, or NULL; borrowed from the document. Attributes of other namespaces are not seen. */
const char *xml_attribute(const xmlNode *node, const char *name);
const char *xml_attribute_text(const xmlAttr *attribute);
bool xml_in_namespace(const xmlNode *node, const char *ns);
/* First element from `node` on among its siblings; comments and white space are passed over. *stray becomes
 * the first node on the way that is neither (text, a processing instruction), if any. */
xmlNode *xml_element(xmlNode *node, const xmlNode **stray);

#endif
