/* <expect>: a subject and what shall hold of it. */
#include <string.h>

#include "grammar/domain_internal.h"

enum subject { OF_STEP = 1, OF_RESULT = 2, OF_FILE = 4, OF_JSON = 8 };

/* What each predicate can be said of. */
static const struct {
    const char *name;
    unsigned subjects;
} predicates[] = {
    [EXPECT_EXIT] = {"exit", OF_STEP},
    [EXPECT_OUTCOME] = {"outcome", OF_STEP},
    [EXPECT_EQUALS] = {"equals", OF_RESULT | OF_FILE | OF_JSON},
    [EXPECT_CONTAINS] = {"contains", OF_RESULT | OF_FILE},
    [EXPECT_SHA256] = {"sha256", OF_RESULT | OF_FILE},
    [EXPECT_SIZE] = {"size", OF_RESULT | OF_FILE},
    [EXPECT_LINES] = {"lines", OF_FILE},
    [EXPECT_EXISTS] = {"exists", OF_FILE},
};

static const char *keep(struct reading *r, const char *text)
{
    return text ? arena_string(r->arena, bytes_of_string(text)) : NULL;
}

static int check_pointer(struct reading *r, const xmlNode *xml, const char *name)
{
    const char *value = xml_attribute(xml, name);
    if (!value || !*value || *value == '/' || *value == '{')
        return 0;
    return plan_fail(r->err, place_at(r, xml), "found %s=\"%s\", expected a JSON pointer such as /rows/0",
                     name, value);
}

static int read_subject(struct reading *r, const xmlNode *xml, struct plan_expect *e, unsigned *subject)
{
    const char *output = xml_attribute(xml, "output"), *at = xml_attribute(xml, "at"),
               *json = xml_attribute(xml, "json");
    const char *step = xml_attribute(xml, "step");
    TRY(text_read_attribute(r, xml, "file", &e->file));
    TRY(check_pointer(r, xml, "at"));
    TRY(check_pointer(r, xml, "json"));
    if (e->file && (step || output || at))
        return plan_fail(r->err, place_at(r, xml),
                         "found file beside step, output or at, expected one subject");
    if (!e->file && json)
        return plan_fail(r->err, place_at(r, xml), "found json without file; a result's part is named by at");
    if (output && at)
        return plan_fail(r->err, place_at(r, xml), "found both output and at, expected one of them");
    TRY(text_read_attribute(r, xml, "site", &e->site));
    if (e->site && (e->file || !at))
        return plan_fail(r->err, place_at(r, xml), "found site %s, expected it with at, which says what of the visit", e->file ? "beside file" : "without at");
    e->step = keep(r, step);
    e->at = output ? arena_printf(r->arena, "/%s", output) : keep(r, at);
    TRY(text_read_attribute(r, xml, "json", &e->json));
    *subject = e->site ? OF_RESULT : e->file ? (json ? OF_JSON : OF_FILE) : (e->at ? OF_STEP | OF_RESULT : OF_STEP);
    return 0;
}

int expect_read(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_EXPECT, 0);
    struct plan_expect *e = &(*node)->u.expect;
    unsigned subject = OF_STEP, about_result = 0, found = 0;
    e->step_slot = EXPR_SLOT_NONE;
    TRY(read_subject(r, xml, e, &subject));
    for (size_t i = 0; i < EXPECT_PREDICATE_COUNT; i++) {
        TRY(text_read_attribute(r, xml, predicates[i].name, &e->values[i]));
        if (!e->values[i])
            continue;
        found++;
        about_result += (predicates[i].subjects & OF_RESULT) != 0;
        if (!(predicates[i].subjects & subject))
            return plan_fail(r->err, place_at(r, xml), "%s cannot be expected of %s", predicates[i].name,
                             subject == OF_STEP ? "a step; name a result with output or at"
                             : subject == OF_JSON ? "a place in JSON, only equals"
                             : subject == OF_FILE ? "a file" : "a step's result");
    }
    if (!found || ((subject & OF_RESULT) && !about_result))
        return plan_fail(r->err, place_at(r, xml),
                         "<expect> says nothing, expected exit, outcome, equals, contains, sha256, "
                         "size, lines or exists");
    return 0;
}
