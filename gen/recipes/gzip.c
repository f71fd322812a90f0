/* gzip: another content as one gzip member of stored blocks. */
#include "base/error.h"
#include "gen/recipes/octets.h"
#include "gen/recipes/recipes.h"

static int gzip_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct buf plain;
    buf_init(&plain, recipe_stage_max(out));
    int status = content_make(recipe_content(parameters, "of"), plain.max, &plain, err);
    if (status == 0) {
        octets_gzip(out, recipe_bytes(parameters, "file-name"), buf_bytes(&plain));
        status = recipe_made(out, "gzip", err);
    }
    buf_release(&plain);
    return status;
}

static struct json *gzip_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    const struct json *of = recipe_content(parameters, "of");
    if (bytes_equal_string(name, "plain-size"))
        return content_fact(of, BYTES_LITERAL("size"), a);
    return bytes_equal_string(name, "plain-sha256") ? content_fact(of, BYTES_LITERAL("sha256"), a) : NULL;
}

static int gzip_check(const struct json *parameters, const char *where, struct error **err)
{
    return recipe_check_line(parameters, "file-name", where, err);
}

/* The second byte of every gzip file is none of UTF-8. */
static int gzip_utf8(const struct json *parameters)
{
    return 0;
}

static const struct recipe_parameter parameters_table[] = {
    {"of", NULL, "the content that is packed", RECIPE_CONTENT, 0, 0, NULL},
    {"file-name", "\"\"", "file name kept inside; empty: none", RECIPE_BYTES, 0, 255, NULL},
};

static const char *const facts[] = {"plain-size", "plain-sha256", NULL};

const struct recipe recipe_gzip = {
    .name = "gzip",
    .doc = "another content as a gzip file, stored and not compressed",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = gzip_make,
    .fact = gzip_fact,
    .check = gzip_check,
    .utf8 = gzip_utf8,
};
