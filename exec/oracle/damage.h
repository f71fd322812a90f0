/* What tells more about a text that came out otherwise than any byte of it: a character torn where the text was cut, half of a
 * surrogate pair, letters that somebody's character set has not, digits of a number that no double holds. Pure predicates
 * over what must be there and what is; each takes time linear in the lengths. */
#ifndef EXEC_ORACLE_DAMAGE_H
#define EXEC_ORACLE_DAMAGE_H

#include "base/bytes.h"

enum damage {
    DAMAGE_NONE,         /* none of these: difference_of says what it is */
    DAMAGE_CUT_CHARACTER, /* got ends within a character of want, whose rest is a replacement or missing; a notice may follow */
    DAMAGE_HALF_PAIR,    /* got holds half of a surrogate pair, want does not */
    DAMAGE_LETTERS,      /* got is want with characters beyond ASCII left out or written as ?; all else is there */
    DAMAGE_DIGITS        /* got is want with numbers of other digits, which as doubles are the same */
};
enum damage damage_of(struct bytes want, struct bytes got);

bool damage_cut_character(struct bytes want, struct bytes got);
bool damage_letters(struct bytes want, struct bytes got);
bool damage_digits(struct bytes want, struct bytes got);

/* U+D800 to U+DFFF, as JSON's escapes are decoded: three bytes that are not UTF-8. */
bool damage_has_half_pair(struct bytes text);

/* The next number in the text from *at on, and *at behind it; false when there is none. A sign belongs to it, letters before it
 * do not. */
bool damage_next_number(struct bytes text, size_t *at, struct bytes *number);
/* Other digits, and the same double; what a double cannot hold at all became a word or an infinity. */
bool damage_rounded(struct bytes want, struct bytes got);

#endif
