/* The new text of an edit goes through a character set that ends at U+FFFF. */
#include "base/utf8.h"
#include "leakybox/faults.h"

static enum fault_mark on_call(struct fault_call *e)
{
    struct json *text = json_get(e->call->args, "new_text");
    enum fault_mark mark = FAULT_REACHED;
    struct buf kept;

    if (e->call->tool->run != tool_edit_file || !json_is(text, JSON_STRING) || !utf8_valid(text->text))
        return FAULT_MISSED;
    buf_init(&kept, text->text.len);
    for (size_t at = 0; at < text->text.len;) {
        size_t start = at;

        if (utf8_next(text->text, &at) <= 0xffff) {
            buf_add(&kept, bytes_slice(text->text, start, at));
        } else {
            buf_add_byte(&kept, '?');
            mark = FAULT_TRIGGERED;
        }
    }
    if (mark == FAULT_TRIGGERED)
        json_replace(text, json_string(e->call->arena, buf_bytes(&kept)));
    buf_release(&kept);
    return mark;
}

const struct fault fault_edit_drops_astral = {
    .id = "edit-drops-astral",
    .class_id = "C08",
    .layer = "sandbox",
    .primitive = "encoding",
    .needs = "plain",
    .summary = "a character beyond U+FFFF in the new text of edit_file is stored as ?",
    .report = "modelcontextprotocol/servers#2098",
    .call = on_call,
};
