/* Asking for a WebSocket, and reading the answer; see handshake.h. */
#include "exec/target/cdp/handshake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/encode.h"
#include "base/error.h"
#include "base/hash.h"

enum { NONCE = 16, SHA1_BYTES = 20, ACCEPT_MAX = 64, STATUS_SHOWN = 100 };

static const char end_of_head[] = "\r\n\r\n";

void handshake_key(char key[HANDSHAKE_KEY])
{
    uint8_t nonce[NONCE];
    struct buf text;
    if (getrandom(nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce)
        BUG("no random bytes");
    buf_init(&text, HANDSHAKE_KEY);
    base64_encode(&text, bytes_of(nonce, sizeof nonce));
    snprintf(key, HANDSHAKE_KEY, "%s", buf_string(&text));
    buf_release(&text);
}

void handshake_ask(struct buf *out, const char *url, const char *key, const char *const *headers)
{
    const char *authority = strstr(url, "://") + 3, *path = authority + strcspn(authority, "/?#");
    const char *user = memrchr(authority, '@', (size_t)(path - authority)), *host = user ? user + 1 : authority;
    size_t length = strcspn(path, "#");
    buf_addf(out, "GET %s%.*s HTTP/1.1\r\nHost: %.*s\r\n", *path == '/' ? "" : "/", (int)length, path, (int)(path - host), host);
    buf_addf(out, "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n", key);
    for (; headers && *headers; headers++)
        buf_addf(out, "%s\r\n", *headers);
    buf_add_string(out, "\r\n");
}

/* What a server that understood the key says of it. */
static void expected(const char *key, char accept[ACCEPT_MAX])
{
    uint8_t digest[SHA1_BYTES];
    struct buf text;
    buf_init(&text, ACCEPT_MAX * 2);
    buf_addf(&text, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    sha1_of(buf_bytes(&text), digest);
    buf_clear(&text);
    base64_encode(&text, bytes_of(digest, sizeof digest));
    snprintf(accept, ACCEPT_MAX, "%s", buf_string(&text));
    buf_release(&text);
}

static struct bytes trim(struct bytes b)
{
    while (b.len && (b.data[0] == ' ' || b.data[0] == '\t'))
        b = bytes_slice(b, 1, b.len);
    while (b.len && (b.data[b.len - 1] == ' ' || b.data[b.len - 1] == '\t'))
        b.len--;
    return b;
}

/* The value of a header; none when it is not there. */
static struct bytes header(struct bytes head, const char *name)
{
    size_t length = strlen(name);
    for (ptrdiff_t at = bytes_find(head, BYTES_LITERAL("\r\n"), 0); at >= 0;) {
        size_t from = (size_t)at + 2;
        ptrdiff_t next = bytes_find(head, BYTES_LITERAL("\r\n"), from);
        struct bytes line = bytes_slice(head, from, next < 0 ? head.len : (size_t)next);
        if (line.len > length && line.data[length] == ':' && strncasecmp((const char *)line.data, name, length) == 0)
            return trim(bytes_slice(line, length + 1, line.len));
        at = next;
    }
    return BYTES_NONE;
}

/* The first line, printable. */
static void status_line(struct bytes head, char line[STATUS_SHOWN])
{
    size_t length = 0;
    while (length < head.len && length < STATUS_SHOWN - 1 && head.data[length] != '\r' && head.data[length] != '\n') {
        line[length] = head.data[length] >= 0x20 && head.data[length] < 0x7f ? (char)head.data[length] : '?';
        length++;
    }
    line[length] = '\0';
}

enum handshake_status handshake_read(struct bytes answer, const char *key, size_t *length, char why[256])
{
    char accept[ACCEPT_MAX], line[STATUS_SHOWN];
    ptrdiff_t end = bytes_find(answer, BYTES_LITERAL(end_of_head), 0);
    if (end < 0 && answer.len <= HANDSHAKE_MAX)
        return HANDSHAKE_MORE;
    struct bytes head = end < 0 ? answer : bytes_slice(answer, 0, (size_t)end);
    status_line(head, line);
    if (end < 0 || end > HANDSHAKE_MAX) {
        snprintf(why, 256, "its answer has no end: %s", line);
        return HANDSHAKE_REFUSED;
    }
    if (!bytes_starts(head, BYTES_LITERAL("HTTP/1.1 101"))) {
        snprintf(why, 256, "it does not take a WebSocket there, and says: %s", line);
        return HANDSHAKE_REFUSED;
    }
    expected(key, accept);
    if (!bytes_equal_string(header(head, "Sec-WebSocket-Accept"), accept)) {
        snprintf(why, 256, "its answer is not one to our key");
        return HANDSHAKE_REFUSED;
    }
    *length = (size_t)end + sizeof end_of_head - 1;
    return HANDSHAKE_DONE;
}
