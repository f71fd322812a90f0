/* Offers to a server, and answers to what it asks of us; see mcp_offer.h.
 *
 * A form is filled in with values from its own schema (gen/schema.h); the draw and whether it is accepted, declined or
 * cancelled follow from the request's params and from how many forms came before. */
#include "exec/target/mcp_offer.h"

#include <string.h>

#include "base/hash.h"
#include "gen/schema.h"

enum { PARAMS_MAX = 1 << 20, ACTIONS_ACCEPT = 2 };

static const struct {
    const char *name, *capability;
} offers[] = {
    {"roots", "{\"listChanged\":true}"}, /* a task sends notifications/roots/list_changed */
    {"sampling", "{}"},
    {"elicitation", "{}"}, /* forms alone: never a URL */
};
enum { OFFERS = sizeof offers / sizeof *offers };

/* --- words --- */

static bool parse_word(const char *word, size_t length, unsigned *set)
{
    if (length == 3 && memcmp(word, "all", 3) == 0) {
        *set |= OFFER_ALL;
        return true;
    }
    if (length == 4 && memcmp(word, "none", 4) == 0)
        return true;
    for (size_t i = 0; i < OFFERS; i++)
        if (strlen(offers[i].name) == length && memcmp(word, offers[i].name, length) == 0) {
            *set |= 1u << i;
            return true;
        }
    return false;
}

int mcp_offer_parse(const char *text, char separator, unsigned *set, struct error **err)
{
    const char stop[2] = {separator, '\0'};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, stop);
        if (!parse_word(at, length, set))
            return error_set(err, ERR_INPUT, "found '%.*s', expected roots, sampling, elicitation, all or none", (int)length, at);
        at += length;
        if (!*at)
            return 0;
    }
}

void mcp_offer_add_suffix(struct buf *out, unsigned set)
{
    for (size_t i = 0; i < OFFERS; i++)
        if (set & 1u << i)
            buf_addf(out, "+%s", offers[i].name);
}

void mcp_offer_add_capabilities(struct buf *out, unsigned set)
{
    const char *comma = "";
    buf_add_byte(out, '{');
    for (size_t i = 0; i < OFFERS; i++) {
        if (!(set & 1u << i))
            continue;
        buf_addf(out, "%s\"%s\":%s", comma, offers[i].name, offers[i].capability);
        comma = ",";
    }
    buf_add_byte(out, '}');
}

/* --- answers --- */

static void add_error(struct buf *out, int code, const char *message)
{
    buf_addf(out, "\"error\":{\"code\":%d,\"message\":\"%s\"}", code, message);
}

static bool is_plain(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || strchr("-._~/", byte);
}

static const char *answer_roots(struct mcp_offers *o, const struct json *params, struct buf *out)
{
    if (params && !json_is(params, JSON_OBJECT)) {
        add_error(out, -32602, "params is no object");
        return "roots/list: refused, malformed";
    }
    buf_add_string(out, "\"result\":{\"roots\":[{\"uri\":\"file://");
    for (const char *at = o->root; *at; at++) {
        if (is_plain((uint8_t)*at))
            buf_add_byte(out, (uint8_t)*at);
        else
            buf_addf(out, "%%%02X", (unsigned)(uint8_t)*at);
    }
    buf_add_string(out, "\",\"name\":\"root\"}]}");
    return "roots/list";
}

static const char *answer_sampling(struct mcp_offers *o, const struct json *params, struct buf *out)
{
    (void)o;
    bool proper = json_is(json_get(params, "messages"), JSON_ARRAY) && json_is(json_get(params, "maxTokens"), JSON_NUMBER);
    if (!proper || json_get(params, "tools")) {
        add_error(out, -32602, proper ? "tools in sampling are not offered" : "messages or maxTokens is missing");
        return proper ? "sampling/createMessage: refused, tools" : "sampling/createMessage: refused, malformed";
    }
    buf_add_string(out, "\"result\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"A fixed answer.\"},"
                        "\"model\":\"taskgen\",\"stopReason\":\"endTurn\"}");
    return "sampling/createMessage";
}

/* Values for a form; false when its schema cannot be met. */
static bool fill_form(struct bytes schema, struct rng *rng, struct buf *out)
{
    struct schema_book *book = NULL;
    struct schema_value drawn;
    struct derivation log;
    struct chooser chooser;
    struct arena a;
    if (schema_book_new(schema, &book, NULL) < 0) /* too long, also */
        return false;
    arena_init(&a);
    derivation_init(&log);
    chooser_init(&chooser, rng, NULL, &log);
    schema_draw(book, schema_book_document(book), SCHEMA_VALID, &chooser, &a, &drawn);
    bool good = drawn.judged && json_is(drawn.value, JSON_OBJECT);
    if (good)
        json_write(out, drawn.value, JSON_COMPACT);
    derivation_release(&log);
    arena_release(&a);
    schema_book_free(book);
    return good;
}

static const char *answer_form(struct mcp_offers *o, const struct json *schema, uint64_t seed, struct buf *out)
{
    struct rng rng;
    struct buf text, content;
    rng_seed(&rng, seed, o->asked++);
    uint64_t action = rng_below(&rng, ACTIONS_ACCEPT + 2);
    if (action >= ACTIONS_ACCEPT) {
        bool decline = action == ACTIONS_ACCEPT;
        buf_addf(out, "\"result\":{\"action\":\"%s\"}", decline ? "decline" : "cancel");
        return decline ? "elicitation/create: decline" : "elicitation/create: cancel";
    }
    buf_init(&text, PARAMS_MAX);
    buf_init(&content, PARAMS_MAX);
    json_write(&text, schema, JSON_COMPACT);
    bool good = fill_form(buf_bytes(&text), &rng, &content) && !content.overflow;
    if (good) {
        buf_add_string(out, "\"result\":{\"action\":\"accept\",\"content\":");
        buf_add(out, buf_bytes(&content));
        buf_add_byte(out, '}');
    } else {
        buf_add_string(out, "\"result\":{\"action\":\"decline\"}");
    }
    buf_release(&text);
    buf_release(&content);
    return good ? "elicitation/create: accept" : "elicitation/create: decline, its schema cannot be met";
}

static const char *answer_elicitation(struct mcp_offers *o, const struct json *params, struct buf *out)
{
    const struct json *mode = json_get(params, "mode"), *schema = json_get(params, "requestedSchema");
    if (mode && !bytes_equal_string(json_as_text(mode), "form")) {
        add_error(out, -32602, "no mode but form is offered");
        return "elicitation/create: refused, mode";
    }
    if (!json_is(json_get(params, "message"), JSON_STRING) || !json_is(schema, JSON_OBJECT)) {
        add_error(out, -32602, "message or requestedSchema is missing");
        return "elicitation/create: refused, malformed";
    }
    struct buf text;
    buf_init(&text, PARAMS_MAX);
    json_write(&text, params, JSON_SORTED);
    const char *note = answer_form(o, schema, hash64(buf_bytes(&text)), out);
    buf_release(&text);
    return note;
}

static const struct {
    const char *method;
    unsigned offer;
    const char *(*answer)(struct mcp_offers *o, const struct json *params, struct buf *out);
} answers[] = {
    {"roots/list", OFFER_ROOTS, answer_roots},
    {"sampling/createMessage", OFFER_SAMPLING, answer_sampling},
    {"elicitation/create", OFFER_ELICITATION, answer_elicitation},
};

void mcp_offer_answer(struct mcp_offers *o, const struct json *request, struct buf *out, const char **note)
{
    struct bytes method = json_as_text(json_get(request, "method"));
    *note = NULL;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (o->set & answers[i].offer && bytes_equal_string(method, answers[i].method)) {
            *note = answers[i].answer(o, json_get(request, "params"), out);
            return;
        }
    add_error(out, -32601, "method not found");
}
