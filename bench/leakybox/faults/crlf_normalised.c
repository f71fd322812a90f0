/* A text is read in a mode that turns CRLF into LF. */
#include "leakybox/faults.h"

static enum fault_mark on_load(struct fault_load *e)
{
    size_t to = 0;

    if (e->tool->run != tool_read_file)
        return FAULT_MISSED;
    for (size_t from = 0; from < e->data->len; from++) {
        bool crlf = e->data->data[from] == '\r' && from + 1 < e->data->len && e->data->data[from + 1] == '\n';

        if (!crlf)
            e->data->data[to++] = e->data->data[from];
    }
    if (to == e->data->len)
        return FAULT_REACHED;
    buf_cut(e->data, to);
    return FAULT_TRIGGERED;
}

const struct fault fault_crlf_normalised = {
    .id = "crlf-normalised",
    .class_id = "C11",
    .layer = "interface",
    .primitive = "encoding",
    .needs = "plain",
    .summary = "read_file gives LF where the file has CRLF",
    .report = "MarcusJellinghaus/mcp-workspace#96",
    .load = on_load,
};
