/* SPEC strings (docs/targets.md): their kinds, their words, and which files of this machine the words speak
 * of. */
#ifndef EXEC_TARGET_SPEC_H
#define EXEC_TARGET_SPEC_H

#include "exec/target/driver.h"

struct spec_kind {
    const char *prefix; /* "mcp:"; one without a colon may stand alone or be followed by one */
    const struct driver *driver;
    const char *form, *doc; /* "mcp:COMMAND LINE", one line for people */
    bool needs_words;
    bool joins;  /* a command travels as one word that a shell at the other end splits again */
    bool beyond; /* what it starts has to leave our box: the sandbox is elsewhere */
    bool (*remote)(char *const *words); /* is it on another machine? NULL: never */
    /* From what follows the prefix to words; owned by the caller. */
    int (*words)(const char *rest, char ***words, struct error **err);
};
const struct spec_kind *spec_kind_at(size_t index); /* NULL past the end */

/* ERR_INPUT for a kind that does not exist or words that cannot be split, with what was expected. */
int spec_parse(const char *spec, const struct spec_kind **kind, char ***words, struct error **err);

/* Takes what is offered out of a SPEC: "mcp+roots:COMMAND" is *plain "mcp:COMMAND" with OFFER_ROOTS in *set. `more` (NULL) has
 * offers with commas. *whole is the SPEC with all of them, in one order. Both are owned by the caller. */
int spec_offers(const char *spec, const char *more, char **plain, char **whole, unsigned *set, struct error **err);

/* Splits as a POSIX shell does: white space, quotes, backslashes. Nothing is expanded; an operator that is
 * not quoted
 * (| & ; < > and parentheses) is ERR_INPUT, since a shell would not have made a word of it. */
int spec_split(const char *text, char ***words, struct error **err);

/* A relative word that names a file, seen from our working directory, is made absolute: a session starts in a
 * fresh directory, where it would name nothing. The first word only where it has a slash, the others only
 * when `others`. */
void spec_make_absolute(char **words, bool others);

/* Files and directories of this machine that must stay visible in a box for the words to mean what they mean
 * outside: what lies where a box hides things (home directories, /tmp, /run), interpreters of scripts
 * included, each widened to the package it belongs to; also what a word speaks of that is a script.
 * NULL-terminated, owned by the caller (strings_free). */
char **spec_visible(char *const *words, const char *cwd);

#endif
