/* Raw frames of `send`, read as a strict peer would: one JSON-RPC message a line. */
#include "gen/arm/frame.h"

#include <string.h>

#include "base/json.h"

static bool is_odd_id(const struct json *id)
{
    return id->text.len > 64 || (json_is(id, JSON_STRING) && !id->text.len) || json_is(id, JSON_NULL) ||
           (json_is(id, JSON_NUMBER) && arm_holds(id->text, ".|e|-")) || id->text.len >= 16;
}

static void look_at_message(const struct json *m, struct arm_frame *f)
{
    const struct json *id = json_get(m, "id"), *params = json_get(m, "params"),
                      *method = json_get(m, "method");
    bool version = bytes_equal_string(json_as_text(json_get(m, "jsonrpc")), "2.0");
    bool defect = !version || !json_is(method, JSON_STRING) || (params && !json_is(params, JSON_OBJECT));
    f->ids += id && !json_is(id, JSON_NULL);
    f->odd_request |= id && (defect || is_odd_id(id) || json_is(params, JSON_ARRAY));
    f->defect_with_id |= id && !json_is(id, JSON_NULL) && defect;
}

/* The same id twice among the messages. */
static bool has_twin(const struct json *const *messages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (json_get(messages[i], "id") &&
                json_equal(json_get(messages[i], "id"), json_get(messages[k], "id")))
                return true;
    return false;
}

void arm_frames_look(const struct arm_step *s, struct arena *a, struct arm_frames *fs)
{
    struct bytes rest = s->content.text;
    struct arm_frame *f = &fs->all;
    if (!(s->op & OP(SEND)))
        return;
    if (!s->content.text.len || s->content.flags & (TEXT_NUL | TEXT_NOT_UTF8 | TEXT_BOM))
        f->bad = true;
    while (rest.len && fs->count < ARM_FRAMES_MAX) {
        ptrdiff_t end = bytes_find(rest, BYTES_LITERAL("\n"), 0);
        struct bytes line = bytes_slice(rest, 0, end < 0 ? rest.len : (size_t)end);
        struct json *m = NULL;
        struct error *err = NULL;
        rest = end < 0 ? BYTES_NONE : bytes_slice(rest, (size_t)end + 1, rest.len);
        if (json_read(a, line, NULL, "frame", &m, NULL, &err) < 0 || !json_is(m, JSON_OBJECT)) {
            error_free(err);
            f->bad = true;
            continue;
        }
        look_at_message(m, f);
        fs->messages[fs->count++] = m;
    }
    f->twin |= has_twin(fs->messages, fs->count);
}
