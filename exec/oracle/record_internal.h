/* What the files that read and write recordings share. */
#ifndef EXEC_ORACLE_RECORD_INTERNAL_H
#define EXEC_ORACLE_RECORD_INTERNAL_H

#include "exec/oracle/observation.h"

/* A member that is a string or {"$bytes":base64}; no bytes when it is neither. */
struct bytes record_bytes(struct arena *a, const struct json *object, const char *key);
/* A string as it stands in recordings. */
struct json *record_string(struct arena *a, struct bytes b);

/* What was seen from outside (record_traces.c): "leftovers", "at_start", "at_end", "tripwires", "canaries", "site", "tabs" of an execution. */
void record_write_traces(struct arena *a, struct json *root, const struct execution *e);
void record_read_traces(struct arena *a, const struct json *root, struct execution *e);
/* A list of processes and other things that are there: nothing is written when it is empty. */
void record_write_processes(struct arena *a, struct json *object, const char *key, const struct leftover *list, size_t count);
size_t record_read_processes(struct arena *a, const struct json *object, const char *key, const struct leftover **list);
/* "usage" of an observation. */
void record_write_usage(struct arena *a, struct json *object, const struct usage *u);
void record_read_usage(const struct json *object, struct usage *u);

#endif
