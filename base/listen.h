/* Where to listen: an address as people write it, read, opened and named again. TCP, IPv4 and IPv6. */
#ifndef BASE_LISTEN_H
#define BASE_LISTEN_H

#include <netinet/in.h>

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

union listen_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

/* "9100", "127.0.0.1:9100", "[::1]:9100", "localhost:0" (0: any port that is free); without an address: 127.0.0.1. ERR_INPUT else. */
int listen_read(const char *where, union listen_address *a, struct error **err);
/* "HOST:PORT", "[HOST]:PORT" or "PORT": the host without brackets, "" when there is none, and where the port's text begins. False: no such text. */
bool listen_split(const char *where, char *host, size_t size, const char **port);
/* Does nobody but this machine reach it by that name or address? */
bool listen_is_loopback(const char *host);
bool listen_address_is_loopback(const union listen_address *a);

/* A socket that listens there, close-on-exec, the caller's; `where` is for messages. ERR_TARGET when it cannot be had. */
int listen_open(const union listen_address *a, const char *where, int *fd, struct error **err);
/* The same with a socket that somebody has made; 0 or an errno. */
int listen_with(int fd, const union listen_address *a);
/* "http://127.0.0.1:9100/" of a socket that listens; any address at all is called by the loopback's name. */
void listen_url(int fd, char *url, size_t size);

#endif
