/* Duties of resources and prompts: declared, listed, read, and what is not there. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

/* --- lists --- */

/* A list that needs a capability; its items each need these texts. True: there are items to go through. */
struct list_rule {
    const char *items, *capability, *undeclared, *unlisted, *shapeless;
    const char *first, *second; /* members that each item has, as texts */
    const char *bad_item;
};

static bool look_at_list(struct duty_watch *w, const struct list_rule *rule, const struct duty_reply *reply)
{
    const struct json *items = json_get(reply->result, rule->items);
    bool declared = !w->capabilities || duty_declared(w, rule->capability);
    if (reply->error) {
        if (w->capabilities && declared && rule->unlisted && reply->code == -32601)
            duty_say(w, 76, rule->unlisted, reply->line);
        return false;
    }
    if (!json_is(items, JSON_ARRAY)) {
        duty_say(w, 76, rule->shapeless, reply->line);
        return false;
    }
    if (!declared && items->first)
        duty_say(w, 76, rule->undeclared, reply->line);
    for (const struct json *item = items->first; item; item = item->next)
        if (!json_is(json_get(item, rule->first), JSON_STRING) ||
            !json_is(json_get(item, rule->second), JSON_STRING)) {
            duty_say(w, 76, rule->bad_item, reply->line);
            break;
        }
    return true;
}

void duty_look_resources(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    static const struct list_rule rule = {"resources",
                                          "/resources",
                                          "resources without the capability",
                                          "declares resources and does not list them",
                                          "a list of resources without resources",
                                          "uri",
                                          "name",
                                          "a resource without uri or name"};
    (void)r;
    look_at_list(w, &rule, reply);
}

/* A server need not have templates. */
void duty_look_templates(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    static const struct list_rule rule = {"resourceTemplates",
                                          "/resources",
                                          "resources without the capability",
                                          NULL,
                                          "a list of templates without templates",
                                          "uriTemplate",
                                          "name",
                                          "a template without its text or name"};
    (void)r;
    look_at_list(w, &rule, reply);
}

static bool needs_argument(const struct json *prompt)
{
    const struct json *arguments = json_get(prompt, "arguments");
    for (const struct json *one = json_is(arguments, JSON_ARRAY) ? arguments->first : NULL; one;
         one = one->next)
        if (json_is(json_get(one, "required"), JSON_TRUE))
            return true;
    return false;
}

void duty_look_prompts(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    static const struct list_rule rule = {"prompts",
                                          "/prompts",
                                          "prompts without the capability",
                                          "declares prompts and does not list them",
                                          "a list of prompts without prompts",
                                          "name",
                                          "name",
                                          "a prompt without a name"};
    if (!look_at_list(w, &rule, reply))
        return;
    if (!json_get(duty_params(w, r), "cursor"))
        duty_names_clear(&w->prompts.names);
    for (const struct json *prompt = json_get(reply->result, "prompts")->first; prompt;
         prompt = prompt->next) {
        const struct json *name = json_get(prompt, "name");
        struct duty_name *known = json_is(name, JSON_STRING) ? duty_names_add(&w->prompts.names, name->text)
                                                             : NULL;
        if (known)
            known->value = needs_argument(prompt);
    }
    duty_list_ends(&w->prompts, reply);
}

/* --- one of them --- */

static void look_at_contents(struct duty_watch *w, const struct json *contents, struct bytes line)
{
    for (const struct json *one = contents->first; one; one = one->next) {
        const struct json *blob = json_get(one, "blob");
        if (!json_is(json_get(one, "uri"), JSON_STRING))
            duty_say(w, 77, "contents without uri", line);
        if (blob && !duty_is_base64(blob))
            duty_say(w, 77, "a blob that is not base64", line);
        else if (!blob && !json_is(json_get(one, "text"), JSON_STRING))
            duty_say(w, 77, "contents without text or blob", line);
    }
}

/* Whether a resource exists only the server knows; so what it says itself is taken: "not found" with another
 * code. */
static bool says_not_found(const struct json *error)
{
    static const char *const words[] = {"not found", "Not found", "Unknown resource", "unknown resource",
                                        "does not exist"};
    struct bytes message = json_as_text(json_get(error, "message"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(message, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

void duty_look_read(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *contents = json_get(reply->result, "contents");
    (void)r;
    if (reply->error) {
        if (reply->code != -32002 && reply->code != -32601 && says_not_found(reply->error) &&
            !duty_since(w, "2026-07-28"))
            duty_say_should(w, 78, "a resource that is not there: another code than -32002", reply->line);
        return;
    }
    if (!json_is(contents, JSON_ARRAY)) {
        duty_say(w, 77, "a resource without contents", reply->line);
        return;
    }
    look_at_contents(w, contents, reply->line);
}

/* A prompt that is not there, or one without the argument that it needs. */
static void look_at_prompt_refusal(struct duty_watch *w, const struct json *params,
                                   const struct duty_reply *reply)
{
    const struct json *name = json_get(params, "name"), *arguments = json_get(params, "arguments");
    const struct duty_name *known = duty_names_find(&w->prompts.names, json_as_text(name));
    bool foreign = !known && json_is(name, JSON_STRING) && w->prompts.complete;
    bool bare = known && known->value &&
                (!arguments || (json_is(arguments, JSON_OBJECT) && !arguments->count));
    if (!params || (!foreign && !bare) || reply->code == -32602)
        return;
    if (foreign)
        duty_say_should(w, 79,
                        reply->result ? "an unknown prompt is given"
                                      : "an unknown prompt: another code than -32602",
                        reply->line);
    else
        duty_say_should(w, 79,
                        reply->result ? "a prompt is given without an argument that it needs"
                                      : "an argument is missing: another code than -32602",
                        reply->line);
}

void duty_look_prompt(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *messages = json_get(reply->result, "messages");
    look_at_prompt_refusal(w, duty_params(w, r), reply);
    if (reply->error)
        return;
    if (!json_is(messages, JSON_ARRAY)) {
        duty_say(w, 79, "a prompt without messages", reply->line);
        return;
    }
    for (const struct json *one = messages->first; one; one = one->next) {
        struct bytes role = json_as_text(json_get(one, "role"));
        if (!bytes_equal_string(role, "user") && !bytes_equal_string(role, "assistant"))
            duty_say(w, 79, "a message of neither user nor assistant", reply->line);
        duty_content_block(w, 79, json_get(one, "content"), reply->line);
    }
}
