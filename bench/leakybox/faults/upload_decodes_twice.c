/* A second layer decodes whatever looks like base64. */
#include "base/encode.h"
#include "leakybox/faults.h"

static enum fault_mark on_store(struct fault_store *e)
{
    struct buf decoded;

    if (e->tool->run != tool_upload_file)
        return FAULT_MISSED;
    if (!base64_looks_like(e->data))
        return FAULT_REACHED;
    buf_init(&decoded, e->data.len);
    base64_decode(&decoded, e->data);
    e->data = arena_copy(e->arena, buf_bytes(&decoded));
    buf_release(&decoded);
    return FAULT_TRIGGERED;
}

const struct fault fault_upload_decodes_twice = {
    .id = "upload-decodes-twice",
    .class_id = "C01",
    .layer = "sandbox",
    .primitive = "encoding",
    .needs = "plain",
    .summary = "an upload whose bytes are base64 text themselves is decoded once more",
    .report = "aws/bedrock-agentcore-sdk-python#458",
    .store = on_store,
};
