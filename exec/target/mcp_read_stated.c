/* Results as a profile states them: by JSON pointer or by regular expression; see mcp_result_internal.h
 * and profile.h. */
#include "exec/target/mcp_result_internal.h"
#include "exec/target/profile_internal.h"

/* A pattern of ours over a text of theirs: bounded, whatever the text is. */
enum { MATCH_STEPS = 10000000, MATCH_HEAP_KIB = 65536 };

static bool match(const struct profile_result *rule, struct bytes text, struct bytes *found)
{
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(rule->pattern, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!data || !limits)
        BUG("out of memory");
    pcre2_set_match_limit(limits, MATCH_STEPS);
    pcre2_set_heap_limit(limits, MATCH_HEAP_KIB);
    int count = pcre2_match(rule->pattern, text.data ? text.data : (PCRE2_SPTR) "", text.len, 0, 0, data,
                            limits);
    int group = rule->group ? pcre2_substring_number_from_name(rule->pattern, (PCRE2_SPTR)rule->group) : 1;
    bool matched = count > 0 && group > 0 && group < count;
    if (matched) {
        const size_t *offsets = pcre2_get_ovector_pointer(data);
        matched = offsets[2 * group] != PCRE2_UNSET;
        if (matched)
            *found = bytes_slice(text, offsets[2 * group], offsets[2 * group + 1]);
    }
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    return matched;
}

static struct json *lines(struct bytes text, struct arena *a)
{
    struct json *array = json_new(a, JSON_ARRAY);
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t end = newline < 0 ? text.len : (size_t)newline;
        if (end > at)
            json_add(array, json_string(a, bytes_slice(text, at, end)));
        at = end + 1;
    }
    return array;
}

static struct json *octal(struct bytes text, struct arena *a)
{
    int64_t mode = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '7' || mode > 077777)
            return NULL;
        mode = mode * 8 + (text.data[i] - '0');
    }
    return text.len ? json_integer(a, mode & 07777) : NULL;
}

static void put_text(struct mcp_reader *r, const struct profile_result *rule, struct bytes text)
{
    struct arena *a = r->context->arena;
    struct bytes decoded;
    int64_t number;
    struct json *value = json_string(a, text);
    switch (rule->form) {
    case RESULT_TEXT:
        mcp_put_bytes(r, rule->name, text);
        break;
    case RESULT_BASE64:
        if (mcp_base64(text, a, &decoded))
            mcp_put_bytes(r, rule->name, decoded);
        break;
    case RESULT_NUMBER:
        if (json_lenient_integer(value, &number))
            mcp_put(r, rule->name, json_integer(a, number));
        break;
    case RESULT_OCTAL:
        mcp_put(r, rule->name, octal(text, a));
        break;
    case RESULT_LINES:
        mcp_put(r, rule->name, lines(text, a));
        break;
    case RESULT_TRUE:
    case RESULT_FALSE:
        mcp_put(r, rule->name, json_bool(a, rule->form == RESULT_TRUE));
        break;
    }
}

void mcp_read_stated(struct mcp_reader *r)
{
    const struct profile_op *stated = r->context->map ? r->context->map->stated : NULL;
    for (size_t i = 0; stated && i < stated->result_count; i++) {
        const struct profile_result *rule = &stated->results[i];
        struct bytes text;
        if (rule->pattern) {
            if (match(rule, r->material->text, &text))
                put_text(r, rule, text);
            continue;
        }
        struct json *value = json_pointer(r->material->result, bytes_of_string(rule->at));
        if (json_is(value, JSON_STRING))
            put_text(r, rule, value->text);
        else if (value)
            mcp_put(r, rule->name, json_copy(r->context->arena, value));
    }
}
