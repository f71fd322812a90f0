/* The address of a browser elsewhere, as a SPEC gives it: ws://, wss://, or http://, https:// whose /json/version says which. */
#ifndef EXEC_TARGET_CDP_ENDPOINT_H
#define EXEC_TARGET_CDP_ENDPOINT_H

#include <curl/curl.h>

#include "exec/target/driver.h"

struct endpoint {
    struct session *session;
    char *url;            /* http:// or https://, {placeholders} expanded; what a WebSocket is asked for at; owned */
    const char *refused;  /* why we would not go where it led (static text); NULL */
    char error[CURL_ERROR_SIZE];
};

/* ws:// as http://, wss:// as https://; anything else as it stands. To be freed. */
char *endpoint_as_http(const char *address);
/* ERR_TARGET when the address has to be asked for and is not told. */
int endpoint_find(struct endpoint *e, struct session *s, const char *address, struct error **err);
void endpoint_release(struct endpoint *e);
/* A connection to e->url, TLS included, on which nothing was said yet. NULL with *err. */
CURL *endpoint_connect(struct endpoint *e, struct error **err);

#endif
