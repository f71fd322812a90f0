/* What we offer a server as its client: roots, sampling, elicitation. Each is offered or it is not, as the target's SPEC says
 * (mcp+roots+sampling:COMMAND, or --offer): what is offered is declared at initialize and answered, the rest is refused.
 *
 * Answers are fixed, or follow from the request alone, so that a task that is run again has the same ones. Nothing is opened,
 * fetched or asked of anybody. */
#ifndef EXEC_TARGET_MCP_OFFER_H
#define EXEC_TARGET_MCP_OFFER_H

#include "base/json.h"

enum {
    OFFER_ROOTS = 1,
    OFFER_SAMPLING = 2,
    OFFER_ELICITATION = 4,
    OFFER_ALL = OFFER_ROOTS | OFFER_SAMPLING | OFFER_ELICITATION
};

/* "roots,sampling", "all", "none"; words are added to *set. `separator` is what stands between them. ERR_INPUT. */
int mcp_offer_parse(const char *text, char separator, unsigned *set, struct error **err);
/* "+roots+sampling", in the order of the bits; "" for none. */
void mcp_offer_add_suffix(struct buf *out, unsigned set);
/* The capabilities of initialize, a JSON object. */
void mcp_offer_add_capabilities(struct buf *out, unsigned set);

struct mcp_offers {
    unsigned set;
    const char *root; /* path of the directory that roots/list names; borrowed */
    uint64_t asked;   /* elicitations so far: the same question again may get another answer */
};

/* Appends the members "result" or "error" of the answer to a request. *note says what was answered ("elicitation/create: decline"),
 * static; NULL: the method is not offered, and refused. */
void mcp_offer_answer(struct mcp_offers *o, const struct json *request, struct buf *out, const char **note);

#endif
