/* What recipe files share: the registry's rows, readers of complete parameters, small tools that make bytes
 * the same way everywhere. Only gen/recipe.c, gen/content.c and gen/recipes/ include this. */
#ifndef GEN_RECIPES_RECIPES_H
#define GEN_RECIPES_RECIPES_H

#include "base/rng.h"
#include "gen/recipe.h"

extern const struct recipe recipe_text, recipe_csv, recipe_labelled_csv, recipe_json, recipe_ndjson,
    recipe_xml, recipe_config, recipe_html, recipe_svg, recipe_png, recipe_wav, recipe_pdf, recipe_docx,
    recipe_xlsx, recipe_pptx, recipe_eml, recipe_sqlite, recipe_notebook, recipe_source, recipe_project,
    recipe_npy, recipe_safetensors, recipe_zip, recipe_tar, recipe_gzip, recipe_lines, recipe_random,
    recipe_zeros, recipe_pattern, recipe_splice, recipe_recode;

/* Parameters of a complete object; asking for one that the recipe does not have is a bug. */
int64_t recipe_int(const struct json *parameters, const char *name);
bool recipe_bool(const struct json *parameters, const char *name);
struct bytes recipe_bytes(const struct json *parameters, const char *name);
const struct json *recipe_content(const struct json *parameters, const char *name);

enum { RECIPE_SIZE_MAX = 1 << 30 /* bytes of one content */ };
/* The row that nearly every recipe has. */
#define RECIPE_SEED                                                                                          \
    {                                                                                                        \
        "seed", "0", "which of all contents of this kind", RECIPE_INT, 0, INT64_MAX, NULL                    \
    }

/* What `newline` means, "lf" "crlf" "cr". */
extern const char *const recipe_newlines[];
struct bytes recipe_newline(const struct json *parameters);

/* What recipe_rng's `what` is for the recipes; a new use takes a new number at the end, for ever. */
enum recipe_stream {
    STREAM_TEXT,
    STREAM_ARTICLES,
    STREAM_LABELLED_CSV,
    STREAM_JSON,
    STREAM_PNG,
    STREAM_MEMBERS,
    STREAM_WAV,
    STREAM_OFFICE,
    STREAM_PDF,
    STREAM_HTML,
    STREAM_SVG,
    STREAM_XML,
    STREAM_NOTEBOOK,
    STREAM_PROJECT,
    STREAM_CONFIG,
    STREAM_EML,
    STREAM_NUMBERS
};

/* The rng of one row, line or block, so that row i does not depend on row i-1. `what` keeps two uses of one
 * seed apart. */
void recipe_rng(struct rng *r, const struct json *parameters, enum recipe_stream what, uint64_t index);

/* `words` words of a script of the text recipe with a space between. A script of recipe_scripts; "mixed":
 * words of all. */
extern const char *const recipe_scripts[];
void recipe_words(struct rng *rng, struct bytes script, int64_t words, struct buf *out);

/* For recipes with the parameters title (or `name`) and script: the title, or one made up when it is empty.
 */
void recipe_title(const struct json *parameters, enum recipe_stream stream, struct buf *out);
void recipe_put_title(const struct json *parameters, const char *name, enum recipe_stream stream,
                      struct buf *out);
struct json *recipe_title_fact(const struct json *parameters, enum recipe_stream stream, struct arena *a);
#define RECIPE_TITLE                                                                                         \
    {                                                                                                        \
        "title", "\"\"", "in its properties; empty: made up", RECIPE_BYTES, 0, 200, NULL                     \
    }
/* That a parameter of bytes is UTF-8 without control characters. */
int recipe_check_line(const struct json *parameters, const char *name, const char *where, struct error **err);
/* Text of XML and HTML, of an attribute in double quotes too. */
void recipe_escape(struct buf *out, struct bytes text);

/* "-12.05" from -1205 and 2 digits. */
void recipe_decimal(struct buf *out, int64_t value, unsigned digits);
struct json *recipe_decimal_fact(struct arena *a, int64_t value, unsigned digits);
/* A maximum for what is made on the way to `out`: no stage is more than four times as long as what becomes of
 * it. */
size_t recipe_stage_max(const struct buf *out);
/* A fact made by appending to a buffer; releases the buffer. */
struct json *recipe_text_fact(struct arena *a, struct buf *text);
/* 0, or ERR_LIMIT naming the recipe when the buffer's maximum was passed. */
int recipe_made(const struct buf *out, const char *recipe, struct error **err);

/* A content as a row of pieces, each bytes in memory or a stretch of a recipe that can fill from any offset;
 * so a content made of others streams as they do. Pieces borrow from the arena, which lives as long as the
 * rope. */
struct rope_piece {
    struct bytes memory;         /* when recipe is NULL */
    const struct recipe *recipe; /* with fill */
    const struct json *parameters;
    uint64_t offset, len;
};

struct rope {
    struct arena *arena;
    struct rope_piece *pieces;
    size_t count, capacity;
    uint64_t len;
    size_t make_max; /* bytes of a piece that is made whole; at most RECIPE_MAKE_MAX */
};

void rope_init(struct rope *rope, struct arena *a, size_t make_max);
int rope_add(struct rope *rope, const struct json *content, struct error **err); /* content is complete */
/* What lies between two offsets of a rope of the same arena; both are cut to its length. */
void rope_add_slice(struct rope *rope, const struct rope *from, uint64_t start, uint64_t end);
void rope_read(const struct rope *rope, uint64_t offset, void *data, size_t len); /* must lie inside */

#endif
