/* What is appended goes through an echo that reads escapes. */
#include "leakybox/faults.h"

static enum fault_mark on_call(struct fault_call *e)
{
    struct json *content = json_get(e->call->args, "content");
    enum fault_mark mark = FAULT_REACHED;
    struct bytes text;
    struct buf read;

    if (e->call->tool->run != tool_append_file || !json_is(content, JSON_STRING))
        return FAULT_MISSED;
    text = content->text;
    buf_init(&read, text.len);
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.data[i] == '\\' && i + 1 < text.len;

        if (escape && (text.data[i + 1] == 'n' || text.data[i + 1] == 't')) {
            buf_add_byte(&read, text.data[++i] == 'n' ? '\n' : '\t');
            mark = FAULT_TRIGGERED;
        } else {
            buf_add_byte(&read, text.data[i]);
        }
    }
    if (mark == FAULT_TRIGGERED)
        json_replace(content, json_string(e->call->arena, buf_bytes(&read)));
    buf_release(&read);
    return mark;
}

const struct fault fault_append_unescapes = {
    .id = "append-unescapes",
    .class_id = "C14",
    .layer = "sandbox",
    .primitive = "encoding",
    .needs = "plain",
    .summary = "append_file stores a backslash with n or t as a newline or a tab",
    .report = "vercel-labs/open-agents#47",
    .call = on_call,
};
