/* Progress: of live requests of ours that gave a token, and always more. Over HTTP messages may overtake each
 * other on different streams, so there an end is not held against what follows. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

static const struct json *token_of(struct duty_watch *w, const struct duty_request *r)
{
    return r->has_token ? json_pointer(duty_params(w, r), BYTES_LITERAL("/_meta/progressToken")) : NULL;
}

/* `*several`: we gave one token to several requests, so nobody can tell whose progress it is. */
static struct duty_request *find_live(struct duty_watch *w, const struct json *token, bool *several)
{
    struct duty_request *found = NULL;
    *several = false;
    for (struct duty_request *r = w->open; r; r = r->next) {
        const struct json *own = token_of(w, r);
        if (!own || !json_equal(own, token))
            continue;
        *several = found != NULL;
        found = r;
    }
    return found;
}

/* A token whose params were too long to be kept may be any. */
static bool any_lost(const struct duty_watch *w)
{
    for (const struct duty_request *r = w->open; r; r = r->next)
        if (!r->kept)
            return true;
    return w->forgot || w->tokens.forgot;
}

static void look_at_number(struct duty_watch *w, struct duty_request *r, const struct json *progress,
                           struct bytes line)
{
    double now;
    if (!json_is(progress, JSON_NUMBER)) {
        duty_say(w, 60, "progress that is no number", line);
        return;
    }
    if (!r || !json_as_real(progress, &now))
        return;
    if (r->has_progress && !(now > r->progress) && w->transport == DUTY_STDIO)
        duty_say(w, 60, "progress that does not grow", line);
    r->has_progress = true;
    r->progress = now;
}

void duty_progress_came(struct duty_watch *w, const struct json *params, struct bytes line)
{
    const struct json *token = json_get(params, "progressToken");
    bool several = false;
    struct duty_request *r = token ? find_live(w, token, &several) : NULL;
    if (!token)
        duty_say(w, 60, "progress without a token", line);
    else if (!r && duty_names_find(&w->tokens, duty_key(w, token))) {
        if (w->transport == DUTY_STDIO)
            duty_say(w, 60, "progress after the answer", line);
    } else if (!r && !any_lost(w))
        duty_say(w, 60, "progress for a token that was not given", line);
    look_at_number(w, several ? NULL : r, json_get(params, "progress"), line);
}

const struct duty_request *duty_progress_of(struct duty_watch *w, const struct json *params)
{
    const struct json *token = json_get(params, "progressToken");
    bool several = false;
    if (!token || any_lost(w) || duty_names_find(&w->tokens, duty_key(w, token)))
        return NULL;
    const struct duty_request *r = find_live(w, token, &several);
    return several ? NULL : r;
}

/* The token of a call that became a task lives as long as the task, whose end we may not see. */
void duty_progress_ended(struct duty_watch *w, const struct duty_request *r)
{
    const struct json *token = token_of(w, r);
    if (!r->kept || json_get(duty_params(w, r), "task"))
        w->tokens.forgot = true;
    else if (token)
        duty_names_add(&w->tokens, duty_key(w, token));
}
