/* Inputs of other kinds, read as tasks: seeds for the loop.
 *
 * What is read becomes steps where it can: calls of a recorded session, files that are put, scripts that are run. A task that is made
 * so has the domain "imported", the format's name as its workflow, and no derivation; steps are edited as they are.
 *
 * All of it is foreign: sizes are bounded, nothing outside the path that was given is read, and a fault is ERR_INPUT with the file and,
 * where it has lines, the line. Formats stand in one table (import_format_at), a file each. */
#ifndef GEN_IMPORT_IMPORT_H
#define GEN_IMPORT_IMPORT_H

#include "gen/dictionary.h"
#include "gen/task.h"

enum {
    IMPORT_FILE_MAX = 1 << 20,   /* bytes of a file; of one in lines (a log, a dataset) IMPORT_LINES_MAX */
    IMPORT_LINES_MAX = 64 << 20,
    IMPORT_VALUE_MAX = 16 << 20, /* of one JSON value, which is held in memory as a whole */
    IMPORT_BUNDLE_FILES = 512,   /* of a directory that is one input */
    IMPORT_STEPS_MAX = 64,       /* of a task: a longer session becomes several */
    IMPORT_SEEDS_MAX = 200000,   /* each takes some 10 KB of memory */
    IMPORT_DEPTH_MAX = 16        /* directories within each other */
};

struct import_format {
    const char *name;    /* "mcp" */
    const char *summary; /* one line for a person */
    const char *mark;    /* a directory in which this file stands is one input; NULL: files are */
};
const struct import_format *import_format_at(size_t index); /* NULL past the end */

struct import_seed {
    struct task *task;
    const char *file;   /* as it was given, or below it */
    int64_t line;       /* from 1; 0: the file or directory as a whole */
    const char *format;
};

struct import {
    const struct ops *ops;
    struct dictionary *words; /* gets the tokens that are met; NULL: nobody wants them */
    void (*bad)(void *user, const char *message); /* a file within a directory that is passed over; NULL */
    void *user;
    struct arena arena;
    struct import_seed *seeds;
    size_t count, capacity;
    size_t passed_over;       /* files that were bad */
};

/* ops and words are borrowed. */
void import_init(struct import *im, const struct ops *ops, struct dictionary *words);
void import_release(struct import *im); /* with the tasks */

/* A file, or a directory: that is one input (a Harbor task), or all its files, in the order of their names and those of directories in
 * it. Hidden names, links to directories, what is no regular file, and a provenance.jsonl of ours are passed over. A file that was
 * named and cannot be read as what it is: ERR_INPUT; one within a directory is told to `bad` and counted. */
int import_path(struct import *im, const char *path, struct error **err);

struct import_file {
    const char *name; /* below the directory, with '/' */
    struct bytes data;
};
/* The same for what is in memory: one file, or a directory's files. `where` is its name, for messages and records. */
int import_bytes(struct import *im, const char *where, struct bytes data, struct error **err);
int import_bundle(struct import *im, const char *where, const struct import_file *files, size_t count, struct error **err);

#endif
