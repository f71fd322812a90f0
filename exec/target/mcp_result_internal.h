/* The inside of mcp_result: what a tool's result is made of, and the readers for each kind of op. */
#ifndef EXEC_TARGET_MCP_RESULT_INTERNAL_H
#define EXEC_TARGET_MCP_RESULT_INTERNAL_H

#include "exec/target/mcp_json.h"
#include "exec/target/mcp_result.h"

enum { MCP_PARTS_MAX = 4096 };

struct mcp_part {
    struct bytes data;    /* text, or decoded bytes */
    struct bytes label;   /* its name, title or annotation; none */
    bool is_bytes;        /* image, audio, blob */
    bool is_link;         /* resource_link: data is its address */
};

struct mcp_material {
    const struct json *result;      /* the whole result object */
    const struct json *structured;  /* structuredContent, when it is an object */
    const struct json *object;      /* that, or the one text part read as a JSON object or array; NULL */
    struct json *labels; /* text read as "label: value" lines, an object of strings; NULL when it is not */
    struct mcp_part *parts;         /* at most MCP_PARTS_MAX */
    size_t count, texts, bytes;     /* parts; of them text, bytes */
    struct bytes text;              /* text parts joined */
    bool bad_base64;                /* an image, audio or blob could not be decoded */
};

void mcp_material_read(struct mcp_material *m, const struct json *result, struct arena *a);
/* An object of the labelled values of a text whose every line, sections apart, is "label: value"; NULL
 * when it is not. */
struct json *mcp_labels_read(struct bytes text, struct arena *a);

struct mcp_reader {
    const struct mcp_result_context *context;
    const struct mcp_material *material;
    struct outcome *outcome;        /* its result object is there */
};
void mcp_read_content(struct mcp_reader *r);
void mcp_read_entries(struct mcp_reader *r);
void mcp_read_stat(struct mcp_reader *r);
void mcp_read_write(struct mcp_reader *r);
void mcp_read_run(struct mcp_reader *r);   /* run and wait */
void mcp_read_start(struct mcp_reader *r);
void mcp_read_poll(struct mcp_reader *r);
void mcp_read_fetch(struct mcp_reader *r);
void mcp_read_call(struct mcp_reader *r);
void mcp_read_evaluate(struct mcp_reader *r);
void mcp_read_tab(struct mcp_reader *r);      /* tab-open */
void mcp_read_tabs(struct mcp_reader *r);     /* tab-list */
void mcp_read_navigate(struct mcp_reader *r);
void mcp_read_picture(struct mcp_reader *r);  /* screenshot, and the same without a size */
void mcp_read_stated(struct mcp_reader *r); /* by a profile's rules */

/* Sets a member of the result once: the first reader that finds it wins. Bytes are cut to max_reply. */
void mcp_put(struct mcp_reader *r, const char *name, struct json *value);
void mcp_put_bytes(struct mcp_reader *r, const char *name, struct bytes value);
/* base64 as servers send it, line breaks allowed; false when it is none. */
bool mcp_base64(struct bytes text, struct arena *a, struct bytes *out);

#endif
