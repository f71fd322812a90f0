/* The opening of a WebSocket (RFC 6455, section 4), as far as it is ours: libcurl makes the connection, libwslay speaks afterwards. */
#ifndef EXEC_TARGET_CDP_HANDSHAKE_H
#define EXEC_TARGET_CDP_HANDSHAKE_H

#include "base/bytes.h"

enum { HANDSHAKE_KEY = 25, HANDSHAKE_MAX = 16 << 10 }; /* of a key with its NUL; bytes of an answer's head */

void handshake_key(char key[HANDSHAKE_KEY]); /* a random one */
/* The request. url: http:// or https://; headers: "Name: value", NULL-terminated, or NULL. */
void handshake_ask(struct buf *out, const char *url, const char *key, const char *const *headers);

enum handshake_status { HANDSHAKE_MORE, HANDSHAKE_DONE, HANDSHAKE_REFUSED };
/* Reads what has come so far. DONE: *length is that of the head; what is behind it belongs to the WebSocket. REFUSED: `why` says it
 * in one line, fit for printing. */
enum handshake_status handshake_read(struct bytes answer, const char *key, size_t *length, char why[256]);

#endif
