/* splice: another content with some bytes taken out and others put in at one place. What mutators make, so
 * that a changed gigabyte is still a few words and still streams. */
#include "base/error.h"
#include "gen/recipes/recipes.h"

static int splice_compose(const struct json *parameters, struct rope *rope, struct error **err)
{
    struct rope base, insert;
    uint64_t at = (uint64_t)recipe_int(parameters, "at"), remove = (uint64_t)recipe_int(parameters, "remove");
    rope_init(&base, rope->arena,
              rope->make_max < RECIPE_MAKE_MAX ? rope->make_max + remove : RECIPE_MAKE_MAX);
    rope_init(&insert, rope->arena, rope->make_max);
    TRY(rope_add(&base, recipe_content(parameters, "base"), err));
    TRY(rope_add(&insert, recipe_content(parameters, "insert"), err));
    if (at > base.len)
        at = base.len;
    if (rope->len + base.len + insert.len > RECIPE_SIZE_MAX)
        return error_set(err, ERR_LIMIT, "content of recipe splice has more than %d bytes", RECIPE_SIZE_MAX);
    rope_add_slice(rope, &base, 0, at);
    rope_add_slice(rope, &insert, 0, insert.len);
    rope_add_slice(rope, &base, at + remove, base.len);
    return 0;
}

/* A byte that goes on with a character that began before it. */
static bool is_inside_character(const struct rope *rope, uint64_t at)
{
    uint8_t byte = 0;
    if (at >= rope->len)
        return false;
    rope_read(rope, at, &byte, 1);
    return (byte & 0xc0) == 0x80;
}

/* Two texts stay text when the first is cut between characters. */
static int splice_utf8(const struct json *parameters)
{
    const struct json *base = recipe_content(parameters, "base");
    if (!content_is_utf8(base) || !content_is_utf8(recipe_content(parameters, "insert")))
        return -1;
    struct arena scratch;
    struct rope rope;
    arena_init(&scratch);
    rope_init(&rope, &scratch, RECIPE_LOOK_MAX);
    int known = -1;
    uint64_t at = (uint64_t)recipe_int(parameters, "at");
    if (rope_add(&rope, base, NULL) == 0)
        known = is_inside_character(&rope, at) ||
                        is_inside_character(&rope, at + (uint64_t)recipe_int(parameters, "remove"))
                    ? -1
                    : 1;
    arena_release(&scratch);
    return known;
}

static const struct recipe_parameter parameters_table[] = {
    {"base", NULL, "the content that is changed", RECIPE_CONTENT, 0, 0, NULL},
    {"at", "0", "offset of the change; past the end means at the end", RECIPE_INT, 0, RECIPE_SIZE_MAX, NULL},
    {"remove", "0", "how many bytes are taken out there", RECIPE_INT, 0, RECIPE_SIZE_MAX, NULL},
    {"insert", "\"\"", "the content that is put there", RECIPE_CONTENT, 0, 0, NULL},
};

const struct recipe recipe_splice = {
    .name = "splice",
    .doc = "another content with a change at one place",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .compose = splice_compose,
    .utf8 = splice_utf8,
};
