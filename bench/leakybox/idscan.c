/* A look at a JSON message without building it; see idscan.h. Tokens are gathered at depth 1 only: a string
 * that is the key "id", a colon, then the value up to a comma or the closing brace. Malformed text is no
 * matter: at worst there is no id. */
#include "leakybox/idscan.h"

#include <string.h>

void idscan_init(struct idscan *s)
{
    memset(s, 0, sizeof(*s));
}

static void gather(struct idscan *s, uint8_t c)
{
    if (s->depth != 1)
        return;
    if (s->token_len == sizeof(s->token))
        s->overlong = true;
    else
        s->token[s->token_len++] = (char)c;
}

static bool token_is_number(const struct idscan *s)
{
    static const char allowed[] = "+-.0123456789eE";

    if (!s->token_len || (s->token[0] != '-' && (s->token[0] < '0' || s->token[0] > '9')))
        return false;
    for (size_t i = 0; i < s->token_len; i++)
        if (!memchr(allowed, s->token[i], sizeof(allowed) - 1))
            return false;
    return true;
}

static bool token_is_string(const struct idscan *s)
{
    return s->token_len >= 2 && s->token[0] == '"' && s->token[s->token_len - 1] == '"';
}

/* At a comma or closing brace of depth 1: a value is complete. */
static void end_value(struct idscan *s)
{
    if (s->after_colon && s->key_is_id && !s->overlong && (token_is_number(s) || token_is_string(s))) {
        memcpy(s->id, s->token, s->token_len);
        s->id_len = s->token_len;
    }
    s->after_colon = s->key_is_id = s->overlong = false;
    s->token_len = 0;
}

static void feed_structure(struct idscan *s, uint8_t c)
{
    switch (c) {
    case '{':
    case '[':
        gather(s, c);
        s->depth++;
        s->values++;
        if (s->depth == 1)
            s->token_len = 0;
        return;
    case '}':
    case ']':
        if (s->depth == 1)
            end_value(s);
        s->depth -= s->depth > 0;
        return;
    case ',':
        s->values++;
        if (s->depth == 1)
            end_value(s);
        return;
    case ':':
        s->values++;
        if (s->depth == 1) {
            s->key_is_id = s->token_len == 4 && !memcmp(s->token, "\"id\"", 4);
            s->after_colon = true;
            s->overlong = false;
            s->token_len = 0;
        }
        return;
    case ' ':
    case '\t':
    case '\r':
    case '\n':
        return;
    default:
        gather(s, c);
        s->in_string = c == '"';
    }
}

void idscan_feed(struct idscan *s, struct bytes part)
{
    for (size_t i = 0; i < part.len; i++) {
        uint8_t c = part.data[i];

        if (!s->in_string) {
            feed_structure(s, c);
            continue;
        }
        gather(s, c);
        if (s->escaped)
            s->escaped = false;
        else if (c == '\\')
            s->escaped = true;
        else if (c == '"')
            s->in_string = false;
    }
}

struct bytes idscan_id(struct idscan *s)
{
    return s->id_len ? bytes_of(s->id, s->id_len) : BYTES_LITERAL("null");
}
