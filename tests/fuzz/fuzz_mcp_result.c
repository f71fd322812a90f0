/* Replies to tools/call, read for every op, as text and as base64, whole and cut. The input is the
 * message. */
#include <stdlib.h>

#include "exec/target/mcp_json.h"
#include "exec/target/mcp_result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const struct op *op, const struct json *reply, const struct json *args, bool base64,
                    struct arena *a)
{
    struct op_map map = {
        .op = op, .coding = base64 ? CODING_BASE64 : CODING_TEXT, .glob = base64 ? GLOB_PART : GLOB_PLAIN};
    struct mcp_result_context context = {.op = op, .map = &map, .args = args, .path = BYTES_LITERAL("/r"),
                                         .max_reply = base64 ? 64 : 1 << 20, .cut_here = base64, .arena = a};
    struct outcome o = {.class = OUTCOME_SKIPPED};
    mcp_result(&o, reply, &context);
    if (o.class == OUTCOME_SKIPPED || o.raw.len > context.max_reply)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ops *ops;
    if (!ops && ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
        abort();
    struct arena a;
    struct json *reply = NULL, *args = NULL;
    arena_init(&a);
    static const char arguments[] =
        "{\"path\":\"a.txt\",\"pattern\":\"*.txt\",\"head\":3,\"tail\":2,\"offset\":1,\"length\":4}";
    json_read(&a, bytes_of_string(arguments), NULL, "", &args, NULL, NULL);
    if (mcp_json_read(&a, bytes_of(data, size), &reply) == MCP_JSON_OK) {
        for (size_t i = 0; i < ops_count(ops); i++) {
            read_as(ops_at(ops, i), reply, args, false, &a);
            read_as(ops_at(ops, i), reply, args, true, &a);
        }
    }
    arena_release(&a);
    return 0;
}
