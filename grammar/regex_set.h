/* Sets of characters, as sorted ranges that neither touch nor overlap; what a class of a regular expression means.
 * Characters are bytes (0..0xFF) or code points (0..0x10FFFF without surrogates), which is called the universe. */
#ifndef GRAMMAR_REGEX_SET_H
#define GRAMMAR_REGEX_SET_H

#include "grammar/grammar_internal.h"

struct char_range {
    uint32_t low, high; /* both included */
};

struct char_set {
    POOL(struct char_range) ranges;
};

void char_set_release(struct char_set *s);
void char_set_add(struct char_set *s, uint32_t low, uint32_t high); /* low <= high */
void char_set_add_all(struct char_set *s, const struct char_set *more);
/* Everything of the universe that is not in the set. */
void char_set_invert(struct char_set *s, bool code_points);
/* What "anything but …" is drawn from: the printable ASCII characters of the set where there are any, else all of
 * it, so that generated text is readable and valid UTF-8 whenever the pattern leaves a choice. */
void char_set_prefer_printable(struct char_set *s);

/* Adds the characters of \d \w \s (by their letter), or of a POSIX class by its name. False: no such class. */
bool char_set_add_escape(struct char_set *s, int letter);
bool char_set_add_posix(struct char_set *s, struct bytes name);

/* A node that draws one of the set, which must not be empty. */
uint32_t char_set_node(struct grammar *g, const struct char_set *s, bool code_points, struct place place);

#endif
