/* For the tests of recipes: completing and making in one line, and the contents of
 * tests/data/recipe/contents.jsonl. */
#ifndef TESTS_UNIT_RECIPE_CASE_H
#define TESTS_UNIT_RECIPE_CASE_H

#include <stdio.h>

#include "gen/recipe.h"
#include "json_case.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/recipe/"

static inline struct json *complete_of(const char *text)
{
    struct json *complete = NULL;
    struct error *err = NULL;
    int status = recipe_complete(parse(text), "test", &arena, &complete, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "?");
    return complete;
}

static inline void make(const struct json *content, struct buf *out)
{
    struct error *err = NULL;
    buf_init(out, SIZE_MAX / 4);
    ck_assert_msg(content_make(content, SIZE_MAX, out, &err) == 0, "%s", err ? err->text : "?");
}

/* Calls visit for each line of contents.jsonl. */
static inline void each_content(void (*visit)(const char *text, int number, void *context), void *context)
{
    FILE *file = fopen(DATA "contents.jsonl", "r");
    ck_assert_ptr_nonnull(file);
    char line[4096];
    int number = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        visit(line, number++, context);
    }
    fclose(file);
    ck_assert_int_gt(number, 50);
}

#endif
