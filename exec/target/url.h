/* Addresses of http and https targets, as far as taskgen itself has to read them; libcurl reads the rest. */
#ifndef EXEC_TARGET_URL_H
#define EXEC_TARGET_URL_H

#include <stdbool.h>
#include <sys/socket.h>

/* Host (without the brackets of an IPv6 address) and port (80 or 443 where none is given) of an http or https URL, RFC 3986. A
 * {port} that is not expanded yet counts as some port. False when it is no such URL. */
bool url_address(const char *url, char host[256], int *port);
/* An address of this machine alone: loopback (IPv4 127/8, IPv6 ::1, either in the other's clothes), the unspecified address, which
 * connects to loopback, a unix socket. */
bool url_address_is_here(const struct sockaddr *address);
/* A host, by name or address, that is this machine's loopback and nothing else: every address that the name has is. Asks the
 * resolver, so it may take seconds; a name that nobody knows is elsewhere. */
bool url_is_here(const char *host);
/* May what belongs to the one URL be told to the other? The same host, port and scheme, or a step up to https. */
bool url_same_place(const char *url, const char *other);

#endif
