/* A wrapper adds its own end to the command's last line, which may have been the end of a here-document. */
#include "leakybox/faults.h"

/* Is this the word behind some "<<"? */
static bool ends_document(struct bytes command, struct bytes last)
{
    for (ptrdiff_t at = 0; (at = bytes_find(command, BYTES_LITERAL("<<"), (size_t)at)) >= 0; at += 2) {
        size_t from = (size_t)at + 2;

        while (from < command.len && (command.data[from] == ' ' || command.data[from] == '-' ||
                                      command.data[from] == '\'' || command.data[from] == '"'))
            from++;
        if (bytes_starts(bytes_slice(command, from, command.len), last))
            return true;
    }
    return false;
}

static enum fault_mark on_start(struct fault_start *e)
{
    size_t start = e->command.len;
    struct buf wrapped;

    while (start && e->command.data[start - 1] != '\n')
        start--;
    if (!start || start == e->command.len ||
        !ends_document(bytes_slice(e->command, 0, start), bytes_slice(e->command, start, e->command.len)))
        return FAULT_REACHED;
    buf_init(&wrapped, e->command.len + 16);
    buf_add(&wrapped, e->command);
    buf_add_string(&wrapped, "; exit $?");
    e->command = arena_copy(e->arena, buf_bytes(&wrapped));
    buf_release(&wrapped);
    return FAULT_TRIGGERED;
}

const struct fault fault_here_document_swallows = {
    .id = "here-document-swallows",
    .class_id = "C44",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "plain",
    .summary = "a command that ends in a here-document gets a line of the wrapper into that document",
    .report = "daytonaio/daytona#4230",
    .start = on_start,
};
