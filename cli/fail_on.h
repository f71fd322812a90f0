/* --fail-on LIST: which findings give exit status 1. A list of terms with commas, a finding that fits any of them counts; a term is
 * words joined by '+': "confirmed+sandbox,regressed". Of its states, layers and primitives one each must fit where any is named, and all
 * of the other words. Pure: no I/O. */
#ifndef CLI_FAIL_ON_H
#define CLI_FAIL_ON_H

#include "base/error.h"
#include "corpus/store.h"

enum { FAIL_TERMS_MAX = 32 };

struct fail_term {
    unsigned states, layers; /* bits by enum finding_state and by enum layer; 0: see below, and any */
    uint32_t primitives;     /* bits in the order of primitive_names; 0: any */
    bool note;               /* a note; without it none is */
    bool lawful;             /* shown without what no client may send */
    bool fresh;              /* no earlier run on this database knew it */
};

/* The default, `any`: confirmed, flaky or regressed, and no note. */
struct fail_on {
    struct fail_term terms[FAIL_TERMS_MAX];
    size_t count; /* 0: never */
};

void fail_on_default(struct fail_on *f);
/* ERR_INPUT names the word and what was expected; *f is as before then. */
int fail_on_read(struct fail_on *f, const char *text, struct error **err);

/* What there is to know of a finding. */
struct fail_case {
    enum finding_state state;
    const char *layer, *primitive;
    bool note, client_illegal, suppressed, fresh;
};
/* Suppressed ones never count. */
bool fail_on_counts(const struct fail_on *f, const struct fail_case *c);

#endif
