/* Logins; see logins.h. */
#include "exec/site/logins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

const struct web_login *web_logins_add(struct web_logins *all, const char *room, struct bytes user, int64_t until_ms)
{
    struct web_login *l = &all->items[all->made % WEB_LOGINS_MAX];
    memset(l, 0, sizeof *l);
    uint64_t mark = hash64_mix(hash64(user), all->made++);
    snprintf(l->token, sizeof l->token, "%016" PRIx64 "%08" PRIx64, mark, all->made & UINT32_MAX);
    snprintf(l->room, sizeof l->room, "%s", room);
    l->user_length = user.len < WEB_USER_MAX ? user.len : WEB_USER_MAX;
    if (l->user_length)
        memcpy(l->user, user.data, l->user_length);
    l->until_ms = until_ms;
    return l;
}

struct web_login *web_logins_find(struct web_logins *all, const char *room, struct bytes token, int64_t now_ms)
{
    for (size_t i = 0; i < WEB_LOGINS_MAX; i++) {
        struct web_login *l = &all->items[i];
        if (*l->token && bytes_equal_string(token, l->token) && strcmp(l->room, room) == 0)
            return l->until_ms < 0 || now_ms < l->until_ms ? l : NULL;
    }
    return NULL;
}

void web_logins_remove(struct web_logins *all, const char *room, struct bytes token)
{
    for (size_t i = 0; i < WEB_LOGINS_MAX; i++)
        if (bytes_equal_string(token, all->items[i].token) && strcmp(all->items[i].room, room) == 0)
            all->items[i].token[0] = 0;
}
