/* Addresses of http and https targets, as far as taskgen itself has to read them; libcurl reads the rest. */
#ifndef EXEC_TARGET_URL_H
#define EXEC_TARGET_URL_H

#include <stdbool.h>

/* Host (without the brackets of an IPv6 address) and port (80 or 443 where none is given) of an http or https URL, RFC 3986. A
 * {port} that is not expanded yet counts as some port. False when it is no such URL. */
bool url_address(const char *url, char host[256], int *port);
/* A name or address of this machine's loopback. */
bool url_is_here(const char *host);

#endif
