/* Meeting a server; see mcp_era.h. */
#include "exec/target/mcp_era.h"

#include "base/clock.h"
#include "exec/target/mcp_ask.h"
#include "exec/target/mcp_modern.h"

#define NS_PER_MS INT64_C(1000000)

enum answer { ANSWER_MODERN, ANSWER_OTHER, ANSWER_NONE };

static bool lists(const struct json *versions, const char *version)
{
    for (const struct json *one = json_is(versions, JSON_ARRAY) ? versions->first : NULL; one; one = one->next)
        if (bytes_equal_string(json_as_text(one), version))
            return true;
    return false;
}

/* A server of the stateless era that does not know our version of it, and none of the other era's either. */
static int speaks_others(const char *command, const struct json *versions, struct arena *a, struct error **err)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    json_write(&text, versions, JSON_COMPACT);
    int status = error_set(err, ERR_TARGET, "%s: speaks protocol versions %s, expected " MCP_MODERN_VERSION, command,
                           mcp_visible(a, buf_bytes(&text), 200));
    buf_release(&text);
    return status;
}

static bool speaks_old(const struct json *versions)
{
    for (const struct json *one = json_is(versions, JSON_ARRAY) ? versions->first : NULL; one; one = one->next)
        if (mcp_version_is_known(json_as_text(one)))
            return true;
    return false;
}

static void keep_discovery(struct mcp_server *s, const struct json *result)
{
    const struct json *who = json_get(json_get(result, "_meta"), MCP_META "serverInfo");
    mcp_server_is(s, who);
    s->protocol = BYTES_LITERAL(MCP_MODERN_VERSION);
    const struct json *capabilities = json_get(result, "capabilities");
    s->capabilities = json_is(capabilities, JSON_OBJECT) ? capabilities : NULL;
}

/* What the answer to server/discover says of the server's era. *versions: what it says it speaks, or NULL. */
static enum answer weigh(const struct mcp_exchange *x, struct mcp_server *s, const struct json **versions)
{
    const struct json *result = json_get(x->reply, "result"), *error = json_get(x->reply, "error");
    int64_t code = 0;
    *versions = NULL;
    if (x->state != MCP_ANSWERED)
        return x->state == MCP_FAILED ? ANSWER_OTHER : ANSWER_NONE;
    if (json_is(json_get(result, "supportedVersions"), JSON_ARRAY)) {
        *versions = json_get(result, "supportedVersions");
        keep_discovery(s, result);
        return ANSWER_MODERN;
    }
    if (!json_as_integer(json_get(error, "code"), &code) || !mcp_modern_code(code))
        return ANSWER_OTHER;
    if (code == MCP_UNSUPPORTED_VERSION)
        *versions = json_get(json_get(error, "data"), "supported");
    mcp_server_is(s, NULL);
    s->protocol = BYTES_LITERAL(MCP_MODERN_VERSION);
    return ANSWER_MODERN;
}

static enum answer discover(struct mcp_client *c, int64_t ms, const struct mcp_meeting *m, struct mcp_server *s,
                            const struct json **versions, struct mcp_exchange *x)
{
    mcp_client_set_modern(c, MCP_MODERN_VERSION, m->capabilities);
    *x = (struct mcp_exchange){
        .method = "server/discover", .timeout_ms = ms, .cancel_after_ms = -1, .arena = &s->arena};
    mcp_client_exchange(c, x, 1);
    return weigh(x, s, versions);
}

/* Back to the other era; what the question led to is nobody's fault. */
static void forget(struct mcp_client *c)
{
    mcp_client_set_modern(c, NULL, NULL);
    mcp_client_forget_events(c, "discover");
}

static int64_t left_ms(int64_t until)
{
    int64_t left = (until - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    return left > 1 ? left : 1;
}

/* The server speaks the stateless era; does it speak our version of it? */
static int settle_modern(struct mcp_client *c, int64_t until, const char *command, struct mcp_meeting *m,
                         const struct json *versions, struct mcp_server *s, struct error **err)
{
    if (versions && !lists(versions, MCP_MODERN_VERSION)) {
        if (m->era == MCP_ERA_MODERN || !speaks_old(versions))
            return speaks_others(command, versions, &s->arena, err);
        forget(c);
        m->era = MCP_ERA_OLD;
        return mcp_handshake(c, left_ms(until), command, s, err);
    }
    m->era = MCP_ERA_MODERN;
    s->modern = true;
    return mcp_first_tools(c, until, command, s, err);
}

static int meet_modern(struct mcp_client *c, int64_t until, const char *command, struct mcp_meeting *m,
                       struct mcp_server *s, struct error **err)
{
    const struct json *versions, *result;
    struct mcp_exchange x;
    if (discover(c, left_ms(until), m, s, &versions, &x) == ANSWER_MODERN)
        return settle_modern(c, until, command, m, versions, s, err);
    int status = mcp_asked(c, &x, command, &s->arena, &result, NULL, err);
    return status < 0 ? status
                      : error_set(err, ERR_TARGET, "%s: its answer to server/discover names no supportedVersions", command);
}

/* initialize first; a server that refuses it may speak the other era only. */
static int meet_with_hello(struct mcp_client *c, int64_t until, const char *command, struct mcp_meeting *m,
                           struct mcp_server *s, struct error **err)
{
    const struct json *versions;
    struct mcp_exchange x;
    struct error *refused = NULL;
    int status = mcp_handshake(c, left_ms(until), command, s, &refused);
    if (status == 0) {
        m->era = MCP_ERA_OLD;
        return 0;
    }
    if (s->hello_refused && discover(c, m->ask_ms < left_ms(until) ? m->ask_ms : left_ms(until), m, s, &versions, &x) == ANSWER_MODERN) {
        error_free(refused);
        mcp_client_forget_events(c, "initialize");
        return settle_modern(c, until, command, m, versions, s, err);
    }
    *err = refused;
    return status;
}

static int ask_first(struct mcp_client *c, int64_t until, const char *command, struct mcp_meeting *m,
                     struct mcp_server *s, struct error **err)
{
    const struct json *versions;
    struct mcp_exchange x;
    int64_t ms = m->ask_ms < left_ms(until) ? m->ask_ms : left_ms(until);
    enum answer answer = discover(c, ms, m, s, &versions, &x);
    if (answer == ANSWER_MODERN)
        return settle_modern(c, until, command, m, versions, s, err);
    forget(c);
    m->again = answer == ANSWER_NONE && m->restartable && x.state != MCP_STOPPED;
    if (m->again)
        return error_set(err, ERR_TARGET, "%s: no answer to server/discover", command);
    int status = mcp_handshake(c, left_ms(until), command, s, err);
    m->again = status < 0 && m->restartable && x.state != MCP_FAILED;
    if (status == 0)
        m->era = MCP_ERA_OLD;
    return status;
}

int mcp_meet(struct mcp_client *c, int64_t ms, const char *command, struct mcp_meeting *m, struct mcp_server *s,
             struct error **err)
{
    int64_t until = clock_monotonic_ns() + ms * NS_PER_MS;
    m->again = false;
    switch (m->era) {
    case MCP_ERA_ASK:
        return ask_first(c, until, command, m, s, err);
    case MCP_ERA_HELLO:
        return meet_with_hello(c, until, command, m, s, err);
    case MCP_ERA_MODERN:
        return meet_modern(c, until, command, m, s, err);
    case MCP_ERA_OLD:
        break;
    }
    return mcp_handshake(c, ms, command, s, err);
}
