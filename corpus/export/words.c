/* The instruction: the task's own words, then where things are and what will be looked at, so that the checks follow from what is told. No
 * value that is judged stands here that the words do not hold themselves. */
#include "corpus/export/export_internal.h"

#include <string.h>

void export_add_name(struct buf *out, struct bytes name)
{
    bool plain = name.len > 0;
    for (size_t i = 0; i < name.len; i++)
        plain &= name.data[i] >= 0x20 && name.data[i] != '`' && name.data[i] != 0x7f;
    if (plain && name.data[0] != ' ' && name.data[name.len - 1] != ' ') {
        buf_addf(out, "`%.*s`", BYTES_ARG(name));
        return;
    }
    json_write_string(out, name);
    buf_add_string(out, " (written as a JSON string)");
}

static void add_inputs(struct export_record *r)
{
    struct buf *out = &r->instruction;
    if (r->input_count)
        buf_add_string(out, "\nAttached:\n\n");
    for (size_t i = 0; i < r->input_count; i++) {
        buf_addf(out, "- `/inputs/%zu` (%zu bytes): ", i + 1, r->inputs[i].data.len);
        if (r->inputs[i].path.len) {
            buf_add_string(out, "for ");
            export_add_name(out, r->inputs[i].path);
        } else {
            buf_add_string(out, "what a program is to read from its standard input");
        }
        buf_add_byte(out, '\n');
    }
}

static void add_check(struct buf *out, const struct export_check *c)
{
    static const char *const words[] = {
        [EXPORT_SAME] = "every byte counts",
        [EXPORT_HOLDS] = "it must hold what is asked for, character by character",
        [EXPORT_SIZE] = "its size counts",
        [EXPORT_LINES] = "the number of its lines counts",
        [EXPORT_THERE] = "it must be there",
        [EXPORT_GONE] = "it must not be there in the end",
    };
    export_add_name(out, c->path);
    if (c->kind == EXPORT_PRINTED) {
        buf_add_string(out, ": put here what the text asks you to print, exactly as it would stand on standard output, and nothing else");
    } else if (c->kind == EXPORT_MEMBER) {
        buf_add_string(out, ": JSON; the value at ");
        export_add_name(out, c->pointer);
        buf_add_string(out, " (a JSON pointer) counts");
    } else {
        buf_addf(out, ": %s", words[c->kind]);
        if (bytes_equal_string(c->path, EXPORT_ANSWER))
            buf_add_string(out, "; put here what the text asks you to print");
    }
}

void export_add_words(struct export_record *r)
{
    struct buf *out = &r->instruction;
    bool answer = false;
    buf_add_string(out, r->task->instruction);
    buf_add_string(out, "\n\n---\n\nWork in the directory `/app`; names of files are relative to it, and directories that are missing are to be made.\n");
    add_inputs(r);
    buf_add_string(out, "\nWhat is in `/app` in the end is looked at, not the way there. These count:\n\n");
    for (size_t i = 0; i < r->check_count; i++) {
        size_t before = out->len;
        buf_add_string(out, "- ");
        add_check(out, &r->checks[i]);
        buf_add_byte(out, '\n');
        answer |= bytes_equal_string(r->checks[i].path, EXPORT_ANSWER);
        struct bytes line = bytes_slice(buf_bytes(out), before, out->len);
        if (bytes_find(bytes_slice(buf_bytes(out), 0, before), line, 0) >= 0)
            buf_cut(out, before); /* said already */
    }
    if (!answer)
        buf_add_string(out, "\nWhat you print or tell is not looked at.\n");
}
