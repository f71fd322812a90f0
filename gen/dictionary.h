/* Dictionaries: byte strings that mean something to whoever is tested, put into contents, names and arguments by the mutator
 * `dictionary`. Read from files in the format of AFL and libFuzzer, and gathered from seeds and from tools' schemas.
 *
 * Immutable once filled; shared by threads then. */
#ifndef GEN_DICTIONARY_H
#define GEN_DICTIONARY_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"

enum {
    DICTIONARY_TOKENS_MAX = 8192,
    DICTIONARY_TOKEN_MAX = 1024, /* bytes; AFL takes 128 */
    DICTIONARY_GATHER_MAX = 64   /* of a token that nobody wrote down as one */
};

struct dictionary;

struct dictionary *dictionary_new(void);
void dictionary_free(struct dictionary *d);
/* A token; those that are there already, empty, too long or too many are passed over. */
void dictionary_add(struct dictionary *d, struct bytes token);
size_t dictionary_count(const struct dictionary *d); /* of NULL: 0 */
struct bytes dictionary_at(const struct dictionary *d, size_t index);
/* Any of them; no bytes when there is none. */
struct bytes dictionary_pick(const struct dictionary *d, struct rng *rng);

/* Lines of name="value" or "value", with \xNN, \\, \", \n, \r and \t in values; name@LEVEL="value" is read whatever the level; # begins a
 * comment, empty lines are none. ERR_INPUT: "where:line: what was found, what was expected"; tokens of the lines before stay. */
int dictionary_read(struct dictionary *d, struct bytes text, const char *where, struct error **err);

/* What a list of tools (gen/tools.h) says: values of enum, const, default and examples in their schemas, and the names of properties. A
 * list that is none gives nothing. */
void dictionary_add_schemas(struct dictionary *d, struct bytes tools);
/* Words of a text: runs of printable characters without blanks, 3 bytes up to DICTIONARY_GATHER_MAX, at most `most` of them. */
void dictionary_add_words(struct dictionary *d, struct bytes text, size_t most);
/* Texts among a value's members, up to DICTIONARY_GATHER_MAX bytes each. */
void dictionary_add_texts(struct dictionary *d, const struct json *value);

#endif
