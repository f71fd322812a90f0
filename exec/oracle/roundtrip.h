/* Round trips: where the bytes of a file or a reply are not what they must be.
 *
 * For each step that claims success, what must be is computed from what a witness saw (never from a model of
 * what earlier steps should have left, when there is a witness) and from the step's own arguments: write
 * upload    the file holds the content that was sent        append    its old bytes and the content edit its
 * old bytes with `old`, which stood there once, replaced by `new` copy move       the new name has the old
 * one's bytes read download   the reply is the file's bytes, or the part asked for run wait        standard
 * output is what an expectation says, where the program ended as expected; any step: what the fixture site got of it is what an
 * expectation says. Steps whose file somebody else may
 * touch meanwhile are left out. Without a witness a read is compared with the last acknowledged write, and
 * the effect is EFFECT_UNSEEN.
 *
 * Each mismatch belongs to exactly one check; roundtrip_report says a verdict for those that `mine` claims.
 */
#ifndef EXEC_ORACLE_ROUNDTRIP_H
#define EXEC_ORACLE_ROUNDTRIP_H

#include "exec/oracle/command.h"
#include "exec/oracle/damage.h"
#include "exec/oracle/judge.h"

enum mismatch_in {
    IN_FILE /* what is stored */,
    IN_REPLY /* content that was read */,
    IN_OUTPUT /* of a program */,
    IN_SITE /* what the fixture site got */
};

/* Whether a file was to be made or replaced, nothing came of it. */
#define DETAIL_NOTHING_STORED "nothing is stored"

struct mismatch {
    size_t observation;
    enum mismatch_in in;
    enum difference how;
    enum damage damage; /* what tells more than `how`; then no check that goes by `how` has a say */
    enum command_fault command; /* IN_OUTPUT: what tells that the command itself did not come through; then nothing else has a say */
    bool locale;        /* characters were lost, in a task that chose the locale the target was started in */
    enum effect effect;
    bool lines;         /* head or tail was asked for */
    bool shuffled;      /* of a program that writes to both streams: each line is there, not in order */
    bool part;          /* a range of bytes was asked for */
    bool whole_is_text; /* the file that a part was taken from is valid UTF-8 */
    bool stale;         /* the reply is what an earlier write put there */
    bool unchanged;     /* the file is as it was before the step */
    bool full_disk;     /* the file lies on a small file system that the task mounted */
    bool known;         /* want and got are there; else only sizes and hashes are known */
    struct bytes want, got;
    uint64_t want_size, got_size;
    enum witness by; /* who saw the file */
};

/* Finds the mismatches of an execution, in the order of its observations; the array lives in `a`, or with the execution's facts. */
const struct mismatch *roundtrip_find(const struct execution *e, struct arena *a, size_t *count);

/* For the predicates: each mismatch is claimed by exactly one check. */
bool mismatch_ordinary(const struct mismatch *m); /* not unchanged, stale, on a small disk or damaged in a way of its own: `how` decides */
bool mismatch_damaged(const struct mismatch *m, enum damage damage); /* and no locale is to blame */
bool mismatch_splits_text(
    const struct mismatch *m); /* what was damaged is valid UTF-8, so a character was torn apart */
bool mismatch_wrong_lines(const struct mismatch *m); /* head or tail was asked for, and other lines came, or fewer or more of them */
bool mismatch_last_line(
    const struct mismatch *m); /* output that is whole but for its last line */
bool mismatch_shell_text(
    const struct mismatch *m); /* stored text with characters that a shell would act on */

void roundtrip_report(const struct execution *e, struct verdicts *out, const char *slug,
                      bool (*mine)(const struct mismatch *m));

#endif
