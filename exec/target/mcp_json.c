/* Bounded reading of foreign JSON and lenient looks into it; see mcp_json.h. */
#include "exec/target/mcp_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LENIENT_MAX = 40 };

/* Counts commas and opening brackets outside strings: no text has more values than one more than that. */
static bool few_values(struct bytes text)
{
    size_t count = 0;
    bool string = false;
    for (size_t i = 0; i < text.len && count < MCP_JSON_VALUES_MAX; i++) {
        uint8_t byte = text.data[i];
        if (byte == '"')
            string = !string;
        else if (string && byte == '\\')
            i++;
        else if (!string)
            count += byte == ',' || byte == '[' || byte == '{';
    }
    return count < MCP_JSON_VALUES_MAX;
}

enum mcp_json_status mcp_json_read(struct arena *a, struct bytes text, struct json **value)
{
    static const struct json_options options = {.allow_bad_utf8 = true};
    if (text.len > MCP_JSON_VALUES_MAX && !few_values(text))
        return MCP_JSON_TOO_MANY;
    return json_read(a, text, &options, "", value, NULL, NULL) < 0 ? MCP_JSON_BAD : MCP_JSON_OK;
}

/* The letters and digits of a name, lower case, up to size - 1 of them. */
static void squeeze(struct bytes name, char *out, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < name.len && length + 1 < size; i++) {
        uint8_t byte = name.data[i];
        if (byte == '_' || byte == '-' || byte == ' ')
            continue;
        out[length++] = byte ? (char)tolower(byte) : '?';
    }
    out[length] = '\0';
}

bool name_among(struct bytes name, const char *names)
{
    char squeezed[40];
    squeeze(name, squeezed, sizeof squeezed);
    size_t length = strlen(squeezed);
    while (length && *names) {
        size_t one = strcspn(names, "|");
        if (one == length && memcmp(names, squeezed, length) == 0)
            return true;
        names += one + (names[one] == '|');
    }
    return false;
}

const struct json *json_member(const struct json *object, const char *names)
{
    const struct json *found = NULL;
    for (const struct json *one = json_is(object, JSON_OBJECT) ? object->first : NULL; one; one = one->next)
        if (name_among(one->key, names))
            found = one;
    return found;
}

bool json_lenient_integer(const struct json *value, int64_t *out)
{
    if (json_as_integer(value, out))
        return true;
    struct bytes text = json_as_text(value);
    char copy[LENIENT_MAX];
    if (!json_is(value, JSON_STRING) || text.len >= sizeof copy || bytes_find(text, bytes_of("", 1), 0) >= 0)
        return false;
    memcpy(copy, text.data ? text.data : (const uint8_t *)"", text.len);
    copy[text.len] = '\0';
    const char *number = copy + strspn(copy, " ");
    char *end;
    if (!isdigit((unsigned char)number[*number == '-']))
        return false;
    errno = 0;
    long long read = strtoll(number, &end, 10);
    end += strspn(end, " ");
    while (isalpha((unsigned char)*end))
        end++;
    if (errno || *end)
        return false;
    *out = read;
    return true;
}

bool text_mentions(struct bytes text, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= text.len; at++) {
        size_t same = 0;
        while (same < length && tolower(text.data[at + same]) == word[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}
