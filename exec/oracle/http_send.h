/* The op `send` over HTTP, as checks see it: what was asked, and with which status it was answered. */
#ifndef EXEC_ORACLE_HTTP_SEND_H
#define EXEC_ORACLE_HTTP_SEND_H

#include "exec/oracle/judge.h"

/* Could a lawful client have sent this step? One message of its own making, with the headers that it must have: the page that it
 * belongs to may be foreign, its token wrong, its session one that the target has forgotten. */
bool http_lawful(const struct execution *e, size_t index);
int http_status(const struct observation *o); /* 0: not answered over HTTP */
/* Whose session id it sent: "own" "none" "ended" "unknown" "odd"; none where the target gives no ids. */
struct bytes http_session(const struct observation *o);
/* It differs from an ordinary request of a client in its session id alone. */
bool http_only_session(const struct observation *o);
/* The message it sent, when that is a JSON object of ordinary size, in the arena; NULL. */
const struct json *http_message(const struct observation *o, struct arena *a);
/* The id of the request it sent, in the arena; NULL: it sent none. */
const struct json *http_id(const struct observation *o, struct arena *a);

#endif
