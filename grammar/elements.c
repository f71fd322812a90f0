/* The one table of the elements of templates. Wording here is what users read in docs/templates-reference.md.
 */
#include "grammar/elements.h"

#include <string.h>

#define END {NULL, ATTR_TEXT, false, NULL}

static const struct element_attribute maker_attributes[] = {
    {"rule", ATTR_NAME, false, "a rule of the grammar; further attributes are its parameters"},
    {"value", ATTR_TEMPLATE, false, "this; a value that is one whole {expression} keeps its type"},
    {"int", ATTR_TEMPLATE, false, "a whole number from a range, low..high, both included"},
    {"recipe", ATTR_NAME, false, "content made by a recipe; further attributes are its parameters"},
    {"pick", ATTR_TEMPLATE, false, "one of several texts separated by |; one written twice comes twice as often"},
    END};

static const struct element_attribute guard_attribute = {"when", ATTR_EXPRESSION, false,
                                                         "only when this holds"};

static const struct element_attribute step_attributes[] = {
    {"id", ATTR_NAME, false, "name of the step within its body, for expect"},
    {"into", ATTR_NAME, false, "name for the results, which are known only at run time: {job.pid}"},
    {"handle", ATTR_NAME, false,
     "kind of handle that into defines; its properties without a maker are the results"},
    {"state", ATTR_NAME, false, "state of that handle; the first of its kind when absent"},
    {"session", ATTR_TEMPLATE, false, "which client makes the call; \"main\" when absent"},
    {"after-ms", ATTR_TEMPLATE, false, "wait so long before the step"},
    {"cancel-after-ms", ATTR_TEMPLATE, false, "cancel the call after so long"},
    {"timeout-ms", ATTR_TEMPLATE, false, "deadline of the step"},
    {"repeat", ATTR_TEMPLATE, false, "run it so often"},
    {"as", ATTR_TEMPLATE, false,
     "how the argument path is spelled: relative, absolute, tilde, dotted or link; several separated by | "
     "are picked from"},
    END};

static const struct element_attribute domain_attributes[] = {
    {"name", ATTR_NAME, true, "what --domain takes; of an included file, for people only"},
    {"title", ATTR_TEXT, false, "a few words for people"},
    END};
static const struct element_attribute include_attributes[] = {
    {"href", ATTR_TEXT, true, "another template, relative to this file; when there is none, one that ships (common.xml)"}, END};
static const struct element_attribute limit_attributes[] = {
    {"bytes", ATTR_SIZE, false, "length of a task; the setting generate.max-bytes when absent or smaller"},
    {"depth", ATTR_COUNT, false, "nesting of steps and rules; the setting generate.depth when absent or smaller"},
    {"steps", ATTR_COUNT, false, "steps of a task; the setting generate.max-steps when absent or smaller"},
    {"swarm", ATTR_SWITCH, false,
     "off: a task may use every step and alternative, rather than a part of them that is drawn for it; on when absent"},
    {"ms", ATTR_COUNT, false, "time that running a whole task may take"},
    {"payload", ATTR_SIZE, false, "bytes that all steps may carry together, whatever mutators put in"},
    {"processes", ATTR_COUNT, false, "processes that a mutated task may have"},
    {"tabs", ATTR_COUNT, false, "browser tabs that a mutated task may have"},
    END};
static const struct element_attribute handle_attributes[] = {
    {"name", ATTR_NAME, true, "name of the kind"},
    {"base", ATTR_NAME, false, "kind it is made from: it has its properties and states, and stands wherever the base is asked for"},
    {"states", ATTR_STATES, false, "states, the initial one first; the base's when absent"},
    END};
static const struct element_attribute prop_attributes[] = {
    {"name", ATTR_NAME, true, "name of the property"},
    {"unique", ATTR_FLAG, false, "a made-up value differs from all others in the task; yes for path when absent"},
    END};
static const struct element_attribute step_element_attributes[] = {
    {"name", ATTR_NAME, true, "name of the step"},
    {"weight", ATTR_NUMBER, false, "how often it is picked, 1 when absent; 0: only when it is called by name"},
    {"gives", ATTR_NAME, false, "name in the step that into=\"…\" of a do gets"},
    END};
static const struct element_attribute workflow_attributes[] = {
    {"name", ATTR_NAME, true, "name of the workflow"},
    {"weight", ATTR_NUMBER, false, "how often it is picked, 1 when absent"},
    END};
static const struct element_attribute hazard_attributes[] = {
    {"mutator", ATTR_NAME, true, "a mutator, see taskgen mutators"},
    {"p", ATTR_RATIO, true, "with this probability per task"},
    {"on", ATTR_STATES, false, "where: name, body, path, script"},
    {"kinds", ATTR_STATES, false, "only these variants of it"},
    END};
static const struct element_attribute grammar_attributes[] = {
    {"import", ATTR_TEXT, false, "a .tg or .json grammar, relative to this file"}, END};
static const struct element_attribute no_attributes[] = {END};
static const struct element_attribute param_attributes[] = {
    {"name", ATTR_NAME, true, "attribute of do that sets it; the maker is its default, without one it is required"}, END};
static const struct element_attribute let_attributes[] = {{"name", ATTR_NAME, true, "name of the value"},
                                                          END};
static const struct element_attribute def_attributes[] = {
    {"handle", ATTR_NAME, true, "kind of handle"},
    {"name", ATTR_NAME, true, "its name in this body"},
    {"state", ATTR_NAME, false, "its state; the initial one of its kind when absent"},
    END};
static const struct element_attribute with_attributes[] = {
    {"handle", ATTR_NAME, true, "kind of handle"},
    {"name", ATTR_NAME, true, "its name in this body"},
    {"state", ATTR_STATES, false, "state it is in, or several of which any will do; any state when absent"},
    END};
static const struct element_attribute set_attributes[] = {
    {"prop", ATTR_NAME, false, "property to set; absent: the value called name itself"},
    {"name", ATTR_NAME, false, "whose property it is; not inside def"},
    END};
static const struct element_attribute become_attributes[] = {
    {"name", ATTR_NAME, true, "which handle"}, {"state", ATTR_NAME, true, "the state it is in from here on"}, END};
static const struct element_attribute do_attributes[] = {
    {"step", ATTR_NAMES, true, "a step, several to pick from, or * for any"},
    {"into", ATTR_NAME, false, "name for what the step gives"},
    END};
static const struct element_attribute alt_attributes[] = {
    {"weight", ATTR_NUMBER, false, "how often it is picked, 1 when absent"}, END};
static const struct element_attribute repeat_attributes[] = {
    {"min", ATTR_COUNT, true, "at least so often"},
    {"max", ATTR_COUNT, true, "at most so often"},
    {"index", ATTR_NAME, false, "name for the number of the round, from 1"},
    END};
static const struct element_attribute optional_attributes[] = {
    {"p", ATTR_RATIO, false, "with this probability; 0.5 when absent"}, END};
static const struct element_attribute walk_attributes[] = {
    {"min", ATTR_COUNT, true, "at least so many steps"},
    {"max", ATTR_COUNT, true, "at most so many steps"},
    {"steps", ATTR_NAMES, false, "which steps; * when absent"},
    END};
static const struct element_attribute expect_attributes[] = {
    {"file", ATTR_TEMPLATE, false, "about this file at the end of the task"},
    {"step", ATTR_NAME, false, "about the result of the op with this id; of the op before it when absent"},
    {"exit", ATTR_TEMPLATE, false, "exit status"},
    {"outcome", ATTR_TEMPLATE, false, "ok, or error for an explicit one"},
    {"output", ATTR_TEXT, false, "stdout, stderr, content …: the result that the rest is about"},
    {"at", ATTR_TEXT, false, "JSON pointer to the part of the result that the rest is about"},
    {"site", ATTR_TEMPLATE, false, "about what the fixture site saw of this path, from the step on: the first visit, and at is a pointer into it"},
    {"json", ATTR_TEMPLATE, false, "JSON pointer into the file, for equals"},
    {"equals", ATTR_TEMPLATE, false, "it is this"},
    {"contains", ATTR_TEMPLATE, false, "this stands in it"},
    {"sha256", ATTR_TEMPLATE, false, "its SHA-256 in hex"},
    {"size", ATTR_TEMPLATE, false, "number of bytes"},
    {"lines", ATTR_TEMPLATE, false, "number of lines of the file"},
    {"exists", ATTR_TEMPLATE, false, "yes or no: the file is there"},
    END};
static const struct element_attribute get_attributes[] = {
    {"name", ATTR_EXPRESSION, true, "a name, a property or any expression"},
    {"esc", ATTR_STATES, false, "encoders, applied left to right: sh py json url xml b64 hex …"},
    END};
static const struct element_attribute use_attributes[] = {
    {"rule", ATTR_NAME, true, "a rule of the grammar; further attributes are its parameters"},
    {"esc", ATTR_STATES, false, "encoders, applied left to right"},
    END};

static const struct element elements[ELEMENT_COUNT] = {
    [ELEMENT_DOMAIN] = {"domain", IN_NOTHING, IN_DOMAIN, 0, domain_attributes,
                        "a template: one domain of tasks"},
    [ELEMENT_INCLUDE] = {"include", IN_DOMAIN, 0, 0, include_attributes,
                         "takes handles, steps, hazards and rules of another template; its workflows and "
                         "limits are not taken"},
    [ELEMENT_LIMIT] = {"limit", IN_DOMAIN, 0, 0, limit_attributes, "budgets of one task"},
    [ELEMENT_HANDLE] = {"handle", IN_DOMAIN, IN_HANDLE, 0, handle_attributes,
                        "a kind of thing that steps make and use: a file, a directory, a job"},
    [ELEMENT_PROP] = {"prop", IN_HANDLE, 0, ELEMENT_MAKER | ELEMENT_UNMADE | ELEMENT_OPEN, prop_attributes,
                      "a property, and how it is made up when it is read and was not set"},
    [ELEMENT_STEP] = {"step", IN_DOMAIN, IN_BODY | IN_STEP, ELEMENT_GUARD, step_element_attributes,
                      "a piece of work that workflows and other steps do by name"},
    [ELEMENT_WORKFLOW] = {"workflow", IN_DOMAIN, IN_BODY, 0, workflow_attributes, "one kind of task"},
    [ELEMENT_HAZARD] = {"hazard", IN_DOMAIN, 0, 0, hazard_attributes,
                        "lets a mutator loose on finished tasks; every mutation is recorded in the task"},
    [ELEMENT_GRAMMAR] = {"grammar", IN_DOMAIN, 0, ELEMENT_PLAIN_TEXT, grammar_attributes,
                         "rules in the compact notation"},
    [ELEMENT_DOC] = {"doc", IN_DOMAIN | IN_HANDLE | IN_BODY | IN_DEF | IN_ONE_OF, 0, ELEMENT_PLAIN_TEXT,
                     no_attributes, "a remark for people"},
    [ELEMENT_PARAM] = {"param", IN_STEP, 0, ELEMENT_MAKER | ELEMENT_UNMADE | ELEMENT_OPEN, param_attributes,
                       "a parameter of the step"},
    [ELEMENT_SAY] =
        {"say", IN_BODY, IN_TEXT, ELEMENT_TEXT | ELEMENT_GUARD, no_attributes,
         "a sentence of the instruction; white space is normalised, sentences are joined by a space"},
    [ELEMENT_LET] = {"let", IN_BODY, 0, ELEMENT_MAKER | ELEMENT_OPEN | ELEMENT_GUARD, let_attributes,
                     "a value, made once"},
    [ELEMENT_DEF] = {"def", IN_BODY, IN_DEF, ELEMENT_GUARD, def_attributes, "a new handle"},
    [ELEMENT_WITH] = {"with", IN_BODY, 0, ELEMENT_GUARD, with_attributes,
                      "an existing handle, a recent one more likely; when there is none, the cheapest step "
                      "that leaves one "
                      "behind is done first"},
    [ELEMENT_SET] = {"set", IN_BODY | IN_DEF, 0, ELEMENT_MAKER | ELEMENT_OPEN | ELEMENT_GUARD, set_attributes,
                     "sets a property of a handle, or a value anew"},
    [ELEMENT_BECOME] = {"become", IN_BODY, 0, ELEMENT_GUARD, become_attributes,
                        "notes that a handle changed its state"},
    [ELEMENT_DO] =
        {"do", IN_BODY, 0, ELEMENT_OPEN | ELEMENT_GUARD, do_attributes,
         "does a step; further attributes set its parameters, or pass handles to its with elements"},
    [ELEMENT_ONE_OF] = {"one-of", IN_BODY, IN_ONE_OF, ELEMENT_GUARD, no_attributes,
                        "one of its alternatives; names that all of them bind can be used after it"},
    [ELEMENT_ALT] = {"alt", IN_ONE_OF, IN_BODY, ELEMENT_GUARD, alt_attributes, "an alternative"},
    [ELEMENT_REPEAT] = {"repeat", IN_BODY, IN_BODY, ELEMENT_GUARD, repeat_attributes,
                        "its content several times"},
    [ELEMENT_OPTIONAL] = {"optional", IN_BODY, IN_BODY, ELEMENT_GUARD, optional_attributes,
                          "its content, or nothing"},
    [ELEMENT_PARALLEL] = {"parallel", IN_BODY, IN_BODY, ELEMENT_GUARD, no_attributes,
                          "the ops in it run at the same time"},
    [ELEMENT_WALK] = {"walk", IN_BODY, 0, ELEMENT_GUARD, walk_attributes,
                      "any steps, one after the other, whose needs are met when their turn comes"},
    [ELEMENT_EXPECT] =
        {"expect", IN_BODY, 0, ELEMENT_GUARD, expect_attributes,
         "a fact about a step or about the final state of a file; one about a file is withdrawn when a later "
         "step changes the handle it names"},
    [ELEMENT_GET] = {"get", IN_TEXT, 0, 0, get_attributes, "the value of an expression"},
    [ELEMENT_USE] = {"use", IN_TEXT, 0, ELEMENT_OPEN, use_attributes, "text made by a rule"},
};

const struct element *element_at(enum element_id id)
{
    return &elements[id];
}

const struct element *element_find(const char *name)
{
    for (size_t i = 0; i < ELEMENT_COUNT; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}

enum element_id element_id_of(const struct element *row)
{
    return (enum element_id)(row - elements);
}

const struct element_attribute *element_maker_attributes(void)
{
    return maker_attributes;
}

const struct element_attribute *element_step_attributes(void)
{
    return step_attributes;
}

const struct element_attribute *element_guard_attribute(void)
{
    return &guard_attribute;
}

const struct element_attribute *element_attribute_find(const struct element_attribute *table,
                                                       const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

bool op_arg_as_attribute(const struct op_arg *arg)
{
    return arg->type != OP_MAP;
}

bool op_arg_as_element(const struct op_arg *arg)
{
    return arg->type == OP_BYTES || arg->type == OP_TEXT || arg->type == OP_TEXTS || arg->type == OP_MAP ||
           arg->type == OP_JSON;
}
