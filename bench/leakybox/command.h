/* Shared by the tools that run commands. */
#ifndef LEAKYBOX_COMMAND_H
#define LEAKYBOX_COMMAND_H

#include "leakybox/job.h"

/* Starts the command that the call's arguments name; NULL when the call was answered. */
struct job *command_start(struct call *c, struct bytes id, int64_t timeout_ms, size_t keep);

/* Members of a structured result: "exit_code", and "signal" by name when one ended it; */
void command_set_end(struct arena *a, struct json *result, const struct job *j, int exit_code);
/* "stdout" (or "stderr") when it is UTF-8, else "stdout_base64"; and "stdout_bytes", how many there were. */
void command_set_stream(struct arena *a, struct json *result, const char *name, struct bytes kept,
                        uint64_t total);
/* What is given of a stream: what was kept, less a character that was cut. */
struct bytes command_output(const struct buf *kept, uint64_t total);

/* Answers who waits for a background process: it has ended, or the time is over. */
void process_answer(struct job *j);

#endif
