/* Templates in tests/data/plan as cases: a folder's files one by one, and what a comment in them says must
 * happen. */
#ifndef TESTS_UNIT_PLAN_CASE_H
#define TESTS_UNIT_PLAN_CASE_H

#include <dirent.h>
#include <stdio.h>

#include "base/fs.h"
#include "gen/generate.h"
#include "unit.h"

#define PLAN_DATA TASKGEN_SOURCE_DIR "/tests/data/plan"

static struct ops *plan_ops;

static inline void plan_set_up(void)
{
    struct error *err = NULL;
    ck_assert_msg(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &plan_ops, &err) == 0, "%s",
                  err ? err->text : "");
}

static inline void plan_tear_down(void)
{
    ops_free(plan_ops);
}

static inline struct domain *plan_load(const char *file)
{
    struct error *err = NULL;
    struct domain *domain = NULL;
    int status = domain_load(file, plan_ops, generate_recipes(), &domain, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    return domain;
}

/* The text after "expect: " up to the end of its line or of the comment, into a buffer of its own. */
static inline void plan_expected(const char *file, char *out, size_t size)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    ck_assert_int_eq(fs_read(file, 1 << 20, &text, NULL), 0);
    const char *start = strstr(buf_string(&text), "expect: ");
    ck_assert_msg(start != NULL, "%s says not what to expect", file);
    start += strlen("expect: ");
    const char *end = strstr(start, " -->");
    ck_assert_ptr_nonnull(end);
    snprintf(out, size, "%.*s", (int)(end - start), start);
    buf_release(&text);
}

/* Calls `check` with every file of the folder that ends so; returns how many there were. */
static inline size_t plan_each(const char *folder, const char *ending, void (*check)(const char *file))
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    ck_assert_msg(directory != NULL, "no folder %s", folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char file[1024];
        size_t len = strlen(entry->d_name), tail = strlen(ending);
        if (len <= tail || entry->d_name[0] == '.' || strcmp(entry->d_name + len - tail, ending) != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        check(file);
        count++;
    }
    closedir(directory);
    return count;
}

/* Messages name the file as it was given; expectations leave its folder out. */
static inline void plan_check_message(const char *file, const char *message)
{
    char expected[1024];
    const char *base = strrchr(file, '/') + 1, *found = strstr(message, base);
    plan_expected(file, expected, sizeof expected);
    ck_assert_msg(found && strncmp(found + strlen(base), expected, strlen(expected)) == 0,
                  "%s: the message is\n  %s\nexpected after the file's name\n  %s", base, message, expected);
    ck_assert_msg(!strchr(message, '\n'), "%s: a message of several lines", base);
}

#endif
