/* Value level: a weighted context-free grammar over bytes, in the compact notation (stand-alone .tg files, and
 * <grammar> in templates), or as JSON {"<start>": ["…<x>…"]}. docs/grammar.md is the user's reference.
 *
 *   rule      = name ["(" parameter {"," parameter} ")"] "=" alternatives ";"         # comment to end of line
 *   alternatives = sequence [@weight] {"|" sequence [@weight]}         weight: decimal, default 1, 0 never
 *   sequence  = item {item}                                            "" stands for nothing
 *   item      = atom [ "?" | "*" | "+" | "{" m [".." n] ["sep" atom] "}" ]
 *   atom      = "text" (escapes \n \r \t \0 \\ \" \' \xHH \u{HEX}) | 'text as it stands' | x"hex" | /regex/ | name |
 *               name"(" args ")" | "(" alternatives ")" | int(a..b) |
 *               u8 u16le u16be u32le u32be u64le u64be, each with (), (a..b) or (a value) | bits(a..b:width, …) |
 *               len(x) crc32(x) sha256(x) b64(x) hex(x) gzip(x) upper(x) lower(x) |
 *               esc.json(x) esc.sh(x) esc.py(x) esc.url(x) esc.xml(x)
 *   import "file.tg";      header of a stand-alone file:  grammar NAME 1;
 *
 * A "(" right after a name begins arguments, one after white space a group. Numbers may be written -12, 0x1F, 1e6.
 *
 * Arguments of a parameterised rule are evaluated once, at the call. Each symbol knows its cheapest completion in
 * depth and in bytes: once a budget of struct grammar_limits would be passed only cheapest alternatives are taken, so a
 * derivation never exceeds max_bytes (ERR_LIMIT when even the cheapest does not fit). That is exact but where encoders
 * or parameters are involved: there what the cheapest takes is bounded from above. Immutable after grammar_compile,
 * then shared by all threads.
 *
 * Sites: each choice among alternatives, each count of a repetition, each character of a set and each number of a range
 * has one. Choices and counts open a subtree in the log, the others are single entries. */
#ifndef GRAMMAR_GRAMMAR_H
#define GRAMMAR_GRAMMAR_H

#include "grammar/derivation.h"

struct grammar;

struct grammar_limits {
    size_t max_bytes; /* of one derived text; the room that the buffer has left counts too */
    size_t max_depth; /* nesting of rules before only the cheapest alternatives are taken */
    bool shortest;    /* no more bytes than the cheapest derivation takes */
};

struct grammar *grammar_new(void);
void grammar_free(struct grammar *g);
/* Adds rules. `file` and `line` (of the first line of text) are for messages, "file:line:column: found …, expected …";
 * imports are relative to `file`. A rule defined twice is ERR_INPUT. All texts of a grammar together have at most 4 MiB
 * (ERR_LIMIT). A grammar that has failed to read something can only be freed. */
int grammar_add_text(struct grammar *g, struct bytes text, const char *file, unsigned line, struct error **err);
int grammar_add_json(struct grammar *g, struct bytes text, const char *file, struct error **err);
/* .tg or .json; a regular file. One that was added before, by whatever path, is not added again. */
int grammar_add_file(struct grammar *g, const char *path, struct error **err);
/* Checks (undefined, never ending, wrong number of arguments, all weights 0, too big) and compiles, once. `first_site`
 * is the number of the first site; grammar_site_end gives the one after the last. The same text gives the same sites. */
int grammar_compile(struct grammar *g, uint32_t first_site, struct error **err);
uint32_t grammar_site_end(const struct grammar *g);

int grammar_rule(const struct grammar *g, struct bytes name);   /* index, or -1 */
size_t grammar_rule_count(const struct grammar *g);
const char *grammar_rule_name(const struct grammar *g, int rule);
size_t grammar_rule_arity(const struct grammar *g, int rule);
const char *grammar_rule_place(const struct grammar *g, int rule); /* "file:line" */
/* Bytes that its shortest derivation takes, or may take where functions are involved; arguments are taken to be empty. */
uint64_t grammar_rule_least(const struct grammar *g, int rule);
/* Parameters' names, for <use rule=… name=value/>; index below the arity. */
const char *grammar_rule_parameter(const struct grammar *g, int rule, size_t index);
/* Rules reached from none of `roots` (indices), as an array of indices in out (room for all); returns how many. */
size_t grammar_unreachable(const struct grammar *g, const int *roots, size_t root_count, int *out);

/* By what factor the number of open rules grows from one expansion to the next, on average, in the worst cycle of what is
 * reached from `roots` (NULL: from any rule); 0 where no rule leads back to itself. From 1 on texts have no finite mean
 * length without a budget: then `why` (may be NULL) gets one line, "FILE:LINE: …", that names the rule, the cycle and what
 * to do. Such a grammar is fine where budgets are meant to cut its texts short; domain templates may not have one. */
double grammar_growth(const struct grammar *g, const int *roots, size_t root_count, struct buf *why);

/* Appends one derivation of the rule to out, and its choices to the chooser's log. ERR_INPUT when a computed value does
 * not fit its binary field, or the number of arguments is wrong; ERR_LIMIT as above, and when what functions and
 * arguments are computed from takes more than 1 GiB. After a failure out, log and replay are as they were before. */
int grammar_derive(const struct grammar *g, int rule, const struct bytes *args, size_t arg_count,
                   struct chooser *chooser, const struct grammar_limits *limits, struct buf *out, struct error **err);

#endif
