/* Content for a file named .json is read as JSON and written again, with numbers that are doubles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "leakybox/faults.h"

enum { DIGITS_MAX = 21 }; /* longer integers would be written with an exponent: they are let be */

static bool is_json(struct arena *a, struct bytes text)
{
    struct error *err = NULL;
    struct json *value;
    int status = json_read(a, text, NULL, "content", &value, NULL, &err);

    error_free(err);
    return status == 0;
}

/* Length of the integer that stands at `at`, 0 when none does. */
static size_t integer_at(struct bytes text, size_t at)
{
    size_t end = at;

    if (at && (strchr("0123456789.eE+", text.data[at - 1]) && text.data[at - 1]))
        return 0;
    while (end < text.len && text.data[end] >= '0' && text.data[end] <= '9')
        end++;
    if (end < text.len && strchr(".eE", text.data[end]) && text.data[end])
        return 0;
    return end - at;
}

/* Copies the text with its integers as doubles have them; true when that changes one. */
static bool round_integers(struct bytes text, struct buf *out)
{
    bool changed = false, quoted = false;

    for (size_t i = 0; i < text.len;) {
        size_t n = quoted ? 0 : integer_at(text, i);
        char digits[DIGITS_MAX + 1], rounded[2 * DIGITS_MAX];

        if (n == 0 || n > DIGITS_MAX) {
            size_t step = n ? n : quoted && text.data[i] == '\\' ? 2 : 1;

            quoted ^= text.data[i] == '"';
            buf_add(out, bytes_slice(text, i, i + step));
            i += step;
            continue;
        }
        memcpy(digits, text.data + i, n);
        digits[n] = '\0';
        snprintf(rounded, sizeof(rounded), "%.0f", strtod(digits, NULL));
        changed = changed || strcmp(digits, rounded) != 0;
        buf_add_string(out, rounded);
        i += n;
    }
    return changed;
}

static enum fault_mark on_call(struct fault_call *e)
{
    struct json *path = json_get(e->call->args, "path"), *content = json_get(e->call->args, "content");
    struct bytes suffix = BYTES_LITERAL(".json");
    struct buf text;
    bool changed;

    if (e->call->tool->run != tool_write_file || !json_is(path, JSON_STRING) ||
        !json_is(content, JSON_STRING) || path->text.len < suffix.len ||
        !bytes_equal(bytes_slice(path->text, path->text.len - suffix.len, path->text.len), suffix) ||
        !is_json(e->call->arena, content->text))
        return FAULT_MISSED;
    buf_init(&text, 2 * content->text.len + 2 * DIGITS_MAX);
    changed = round_integers(content->text, &text);
    if (changed)
        json_replace(content, json_string(e->call->arena, buf_bytes(&text)));
    buf_release(&text);
    return changed ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_json_reserialised = {
    .id = "json-reserialised",
    .class_id = "C13",
    .layer = "sandbox",
    .primitive = "encoding",
    .needs = "threshold",
    .summary = "an integer beyond 2^53 in what write_file stores in a file named .json is rounded",
    .report = "cq27-dev/rag-rat#130",
    .call = on_call,
};
