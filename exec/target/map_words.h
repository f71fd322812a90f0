/* Words of names: what the mapping of ops to tools is made from. Names are split at anything that is no
 * letter or digit, at changes of case (readFile, HTTPGet) and between two known words written together
 * (readfile); words are lower case and singular. A pattern says which words a name must have: groups of
 * alternatives with a space between them, each group one word of the name, a group with ? at its end may
 * be missing: "read|cat|view file|document?". */
#ifndef EXEC_TARGET_MAP_WORDS_H
#define EXEC_TARGET_MAP_WORDS_H

#include "base/bytes.h"

enum { WORDS_MAX = 16, WORD_SIZE = 24 };

struct words {
    char word[WORDS_MAX][WORD_SIZE]; /* longer words are cut, more words are dropped */
    size_t count;
};

struct word_pattern {
    double weight; /* 0..1: how good a name with just these words is */
    const char *text;
};

void words_split(struct words *w, struct bytes name);
/* Does the name have one of the words of "a|b|c"? */
bool words_have(const struct words *w, const char *alternatives);
void words_drop(struct words *w, const char *alternatives);
/* Is `word` one of "a|b|c"? */
bool word_in(const char *word, const char *alternatives);
/* The best weight of the patterns that fit, less `foreign` for each word that neither the pattern nor
 * `neutral` has and five times that for each of `strange`; 0 when none fits. */
double words_match(const struct words *w, const struct word_pattern *patterns, size_t count, double foreign,
                   const char *neutral, const char *strange);

#endif
