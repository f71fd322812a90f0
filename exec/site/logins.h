/* Who is logged in, by cookie. Bounded: the oldest goes for a new one. Not locked: the site's lock is. */
#ifndef EXEC_SITE_LOGINS_H
#define EXEC_SITE_LOGINS_H

#include "base/bytes.h"

enum { WEB_LOGINS_MAX = 256, WEB_USER_MAX = 256, WEB_TOKEN = 24 };

struct web_login {
    char token[WEB_TOKEN + 1]; /* "" : free */
    char room[48];
    uint8_t user[WEB_USER_MAX];
    size_t user_length;
    int64_t until_ms;          /* of the site's time; -1: for ever */
    uint64_t views;            /* pages seen with it */
};

struct web_logins {
    struct web_login items[WEB_LOGINS_MAX];
    uint64_t made;
};

/* A token that was not there before; the same in the same order of logins, so that nothing random stands in a page. */
const struct web_login *web_logins_add(struct web_logins *all, const char *room, struct bytes user, int64_t until_ms);
struct web_login *web_logins_find(struct web_logins *all, const char *room, struct bytes token, int64_t now_ms);
void web_logins_remove(struct web_logins *all, const char *room, struct bytes token);

#endif
