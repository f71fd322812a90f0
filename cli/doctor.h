/* doctor: rows of what this machine has and lacks. Each row is a check of its own in one of the tables below; finding out is in
 * doctor_programs.c (what can be installed) and doctor_kernel.c (what the system allows). */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/settings.h"

enum doctor_state {
    DOCTOR_OK,
    DOCTOR_ABSENT, /* something is not possible, all else is */
    DOCTOR_MISSING /* targets cannot be run, or not safely */
};
struct doctor_row {
    const char *name;
    enum doctor_state state;
    const char *found;   /* what there is, or why there is not; "" */
    const char *purpose; /* what it is for; "" */
    const char *how;     /* a command, or words, that would help; "" */
    const char *package; /* of Debian; NULL: none would */
};
struct doctor {
    struct arena arena;
    const struct settings *settings;
    struct doctor_row *rows;
    size_t count;
};

void doctor_init(struct doctor *d, const struct settings *settings);
void doctor_release(struct doctor *d);
/* Texts are copied. */
void doctor_add(struct doctor *d, const struct doctor_row *row);
/* Lines "NAME: yes (…)" and "NAME: no (why)", as the box and others report on themselves; one that is neither is a row that is well. */
void doctor_add_report(struct doctor *d, struct bytes text);

void doctor_programs(struct doctor *d);
void doctor_kernel(struct doctor *d);
void doctor_room(struct doctor *d); /* disk, memory, descriptors, the clock */

bool doctor_usable(const struct doctor *d); /* nothing is DOCTOR_MISSING */
void doctor_print(const struct doctor *d, struct buf *out);
void doctor_print_json(const struct doctor *d, struct buf *out);

#endif
