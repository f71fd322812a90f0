/* Contents made by recipes, as pages, downloads and what they are: a task that knows the recipe knows every byte, and so its hash. */
#include <stdlib.h>
#include <string.h>

#include "exec/site/content.h"

static const struct {
    const char *recipe, *type;
} types[] = {
    {"html", "text/html"},
    {"text", "text/plain"},
    {"lines", "text/plain; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"json", "application/json"},
    {"ndjson", "application/x-ndjson"},
    {"xml", "application/xml"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"wav", "audio/wav"},
    {"pdf", "application/pdf"},
    {"zip", "application/zip"},
    {"gzip", "application/gzip"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
};

const char *web_content_type(struct bytes recipe)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (bytes_equal_string(recipe, types[i].recipe))
            return types[i].type;
    return "application/octet-stream";
}

static struct json *value_of(struct web_request *r, const struct recipe_parameter *p)
{
    const char *text = web_text(r, p->name, "");
    if (p->type == RECIPE_INT)
        return json_integer(r->arena, web_number(r, p->name, 0, INT64_MIN, INT64_MAX));
    if (p->type == RECIPE_BOOL)
        return json_bool(r->arena, strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
    return json_string(r->arena, web_bytes(r, p->name, ""));
}

struct json *web_content_read(struct web_request *r, struct bytes recipe, struct web_answer *a)
{
    const struct recipe *known = recipe_find(recipe);
    if (!known) {
        web_fault(a, 404, "there is no recipe of that name");
        return NULL;
    }
    struct json *object = json_new(r->arena, JSON_OBJECT), *complete = NULL;
    struct error *err = NULL;
    json_set(r->arena, object, "$recipe", json_string(r->arena, recipe));
    for (size_t i = 0; i < known->parameter_count; i++)
        if (web_has(r, known->parameters[i].name))
            json_set(r->arena, object, known->parameters[i].name, value_of(r, &known->parameters[i]));
    if (recipe_complete(object, known->name, r->arena, &complete, &err) < 0 || content_size(complete) > WEB_CONTENT_MAX) {
        web_fault(a, 400, "%s", err ? err->text : "longer than this site gives");
        error_free(err);
        return NULL;
    }
    return complete;
}

bool web_content_answer(struct web_answer *a, const struct json *content)
{
    struct error *err = NULL;
    if (content_open(content, &a->stream, &err) < 0) {
        web_fault(a, 500, "%s", err->text);
        error_free(err);
        return false;
    }
    a->length = (int64_t)content_length(a->stream);
    return true;
}

static void answer_content(struct web_request *r, struct web_answer *a)
{
    struct json *content = web_content_read(r, r->rest, a);
    if (!content || !web_content_answer(a, content))
        return;
    a->type = web_content_type(r->rest);
}

const struct web_page web_family_content[] = {
    WEB_PAGE("/content/*", "those of the recipe", "a content of a recipe", "what the recipe of that name makes (taskgen domains --recipes), shown in place", answer_content),
    {0},
};
