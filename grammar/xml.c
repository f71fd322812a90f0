/* Our one door to libxml2's parser. A document type is refused while it is being read, before any entity
 * could be declared, so entities can neither reach the network or the disk nor grow. */
#include "grammar/xml_internal.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

struct reading {
    bool refused_type;
    bool failed;
    unsigned line;
    char message[256];
};

static void note_error(void *context, xmlError *error)
{
    struct reading *reading = ((xmlParserCtxt *)context)->_private;
    if (reading->failed || error->level < XML_ERR_ERROR)
        return;
    reading->failed = true;
    reading->line = error->line > 0 ? (unsigned)error->line : 1;
    const char *message = error->message ? error->message : "malformed";
    size_t len = strcspn(message, "\n");
    if (len >= sizeof reading->message)
        len = sizeof reading->message - 1;
    memcpy(reading->message, message, len);
    reading->message[len] = 0;
}

static void refuse_type(void *context, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    xmlParserCtxt *parser = context;
    struct reading *reading = parser->_private;
    if (!reading->failed) {
        reading->refused_type = reading->failed = true;
        reading->line = parser->input ? (unsigned)parser->input->line : 1;
    }
    xmlStopParser(parser);
}

int xml_parse(const char *file, struct bytes text, xmlDoc **doc, struct error **err)
{
    struct reading reading = {0};
    xmlInitParser();
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (!parser)
        BUG("out of memory");
    parser->_private = &reading;
    parser->sax->internalSubset = refuse_type;
    parser->sax->externalSubset = refuse_type;
    parser->sax->serror = note_error; /* called with the user data, which is the parser itself */
    *doc = text.len > XML_MAX_FILE
               ? NULL
               : xmlCtxtReadMemory(parser, (const char *)text.data, (int)text.len, file, NULL,
                                   XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA |
                                       XML_PARSE_BIG_LINES);
    xmlFreeParserCtxt(parser);
    if (*doc && !reading.failed)
        return 0;
    if (*doc)
        xmlFreeDoc(*doc);
    *doc = NULL;
    struct plan_place place = {file, reading.line ? reading.line : 1};
    if (reading.refused_type)
        return plan_fail(err, place, "found a document type, expected none");
    return plan_fail(err, place, "not well-formed XML: %s",
                     reading.failed ? reading.message : "nothing in it");
}

unsigned xml_line(const xmlNode *node)
{
    long line = xmlGetLineNo(node);
    return line > 0 ? (unsigned)line : 1;
}

const char *xml_name(const xmlNode *node)
{
    return (const char *)node->name;
}

const char *xml_attribute_text(const xmlAttr *attribute)
{
    return attribute->children && attribute->children->content ? (const char *)attribute->children->content
                                                               : "";
}

const char *xml_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node->properties; a; a = a->next)
        if (!a->ns && strcmp((const char *)a->name, name) == 0)
            return xml_attribute_text(a);
    return NULL;
}

bool xml_in_namespace(const xmlNode *node, const char *ns)
{
    return node->ns && node->ns->href && strcmp((const char *)node->ns->href, ns) == 0;
}

static bool is_blank(const xmlChar *text)
{
    return text[strspn((const char *)text, " \t\r\n")] == 0;
}

xmlNode *xml_element(xmlNode *node, const xmlNode **stray)
{
    for (; node && node->type != XML_ELEMENT_NODE; node = node->next) {
        bool harmless = node->type == XML_COMMENT_NODE ||
                        (node->type == XML_TEXT_NODE && (!node->content || is_blank(node->content)));
        if (!harmless && stray && !*stray)
            *stray = node;
    }
    return node;
}
