/* Shared by what makes records and by the writers. */
#ifndef CORPUS_EXPORT_EXPORT_INTERNAL_H
#define CORPUS_EXPORT_EXPORT_INTERNAL_H

#include "corpus/export/export.h"

/* Sets the reason once; false, so that callers can return it. */
bool export_drop(struct export_record *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A content or text argument as bytes, in the record's arena: a string, {"$content":…}, {"$recipe":…}. False and dropped for others. */
bool export_bytes(struct export_record *r, const struct json *value, struct bytes *out);
/* A path relative to /app that stays below it, without a NUL; false and dropped for others. */
bool export_path(struct export_record *r, const struct json *value, struct bytes *out);

bool export_add_steps(struct export_record *r);  /* inputs, start, solution; step by step */
bool export_add_checks(struct export_record *r);
void export_add_words(struct export_record *r);
/* The run whose output is wanted in answer.txt; NULL: none is. */
const char *export_answer_step(const struct export_record *r);
/* Must the step be refused? Then it is no part of the solution. */
bool export_is_refused(const struct task *t, const char *step);
/* A name within Markdown: in backticks, or as a JSON text where it has characters that could not be seen there. */
void export_add_name(struct buf *out, struct bytes name);

struct export_out {
    char *dir;
    struct buf index; /* what a writer gathers until the end */
    size_t count;
};
int export_put(struct export_out *out, const char *name, struct bytes data, struct error **err); /* makes directories on the way */

extern const struct export_format export_harbor, export_jsonl;
extern const char export_judge[], export_look[], export_test[];

#endif
