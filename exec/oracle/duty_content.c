/* Content blocks, which results of tools, prompts and messages are made of: kinds, what each has, base64. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

/* Padding may be left out by nobody: strict, but without decoding, since texts are long. */
bool duty_is_base64(const struct json *value)
{
    if (!json_is(value, JSON_STRING) || value->text.len % 4 != 0)
        return false;
    size_t length = value->text.len;
    while (length && value->text.len - length < 2 && value->text.data[length - 1] == '=')
        length--;
    for (size_t i = 0; i < length; i++) {
        uint8_t c = value->text.data[i];
        bool fine = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
                    c == '/';
        if (!fine)
            return false;
    }
    return true;
}

static void look_at_text(struct duty_watch *w, int number, const struct json *block, struct bytes line)
{
    if (!json_is(json_get(block, "text"), JSON_STRING))
        duty_say(w, number, "a text block without text", line);
}

static void look_at_binary(struct duty_watch *w, int number, const struct json *block, struct bytes line)
{
    if (!duty_is_base64(json_get(block, "data")))
        duty_say(w, number, "binary content that is not base64", line);
    if (!json_is(json_get(block, "mimeType"), JSON_STRING))
        duty_say(w, number, "binary content without its type", line);
}

static void look_at_link(struct duty_watch *w, int number, const struct json *block, struct bytes line)
{
    if (!json_is(json_get(block, "uri"), JSON_STRING) || !json_is(json_get(block, "name"), JSON_STRING))
        duty_say(w, number, "a link without uri or name", line);
}

static void look_at_resource(struct duty_watch *w, int number, const struct json *block, struct bytes line)
{
    const struct json *resource = json_get(block, "resource"), *blob = json_get(resource, "blob");
    if (!json_is(json_get(resource, "uri"), JSON_STRING))
        duty_say(w, number, "an embedded resource without uri", line);
    if (blob ? !duty_is_base64(blob) : !json_is(json_get(resource, "text"), JSON_STRING))
        duty_say(w, number,
                 blob ? "binary content that is not base64" : "an embedded resource without content", line);
}

static const struct {
    const char *type, *since;
    void (*look)(struct duty_watch *w, int number, const struct json *block, struct bytes line);
} kinds[] = {
    {"text", "2024-11-05", look_at_text},          {"image", "2024-11-05", look_at_binary},
    {"audio", "2025-03-26", look_at_binary},       {"resource", "2024-11-05", look_at_resource},
    {"resource_link", "2025-06-18", look_at_link},
};

void duty_content_block(struct duty_watch *w, int number, const struct json *block, struct bytes line)
{
    const struct json *type = json_get(block, "type");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!json_is(type, JSON_STRING) || !bytes_equal_string(type->text, kinds[i].type))
            continue;
        if (w->version && !duty_since(w, kinds[i].since))
            duty_say_agreed(w, number, "content of a kind that came with a later version", line);
        kinds[i].look(w, number, block, line);
        return;
    }
    duty_say(w, number, type ? "content of a kind that there is not" : "content without a kind", line);
}

void duty_content_blocks(struct duty_watch *w, int number, const struct json *blocks, struct bytes line)
{
    if (!json_is(blocks, JSON_ARRAY)) {
        duty_say(w, number, blocks ? "content that is no list" : "no content", line);
        return;
    }
    for (const struct json *block = blocks->first; block; block = block->next)
        duty_content_block(w, number, block, line);
}
