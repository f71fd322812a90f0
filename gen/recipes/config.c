/* config: settings of services in one of the notations that programs read, four keys a section. */
#include <ctype.h>
#include <inttypes.h>

#include "gen/recipes/recipes.h"

enum { SECTIONS_MAX = 10000, KEYS = 4 };

/* How a section begins (NULL: each line names it, with `join` between), and how a line looks. */
static const struct notation {
    const char *name, *open, *opened, *close, *indent, *join, *assign, *quote;
    bool upper;
} notations[] = {
    {"ini", "[", "]\n", "\n", "", "", " = ", "", false},
    {"toml", "[", "]\n", "\n", "", "", " = ", "\"", false},
    {"yaml", "", ":\n", "", "  ", "", ": ", "", false},
    {"properties", NULL, "", "", "", ".", "=", "", false},
    {"env", NULL, "", "", "", "_", "=", "", true},
};
static const char *const format_values[] = {"ini", "toml", "yaml", "properties", "env", NULL};
static const char *const services[] = {"web", "api", "cache", "queue", "mail", "search", "login", "store"};

struct service {
    char name[32]; /* "cache-3" */
    int64_t port, timeout;
    bool enabled;
};

static struct service service_at(const struct json *parameters, int64_t index)
{
    struct rng rng;
    struct service service;
    struct buf name;
    recipe_rng(&rng, parameters, STREAM_CONFIG, (uint64_t)index);
    buf_init(&name, sizeof service.name);
    buf_addf(&name, "%s-%" PRId64, services[rng_below(&rng, 8)], index + 1);
    const char *text = buf_string(&name);
    for (size_t i = 0; i <= name.len; i++)
        service.name[i] = text[i];
    buf_release(&name);
    service.port = rng_range(&rng, 1024, 65535);
    service.timeout = rng_range(&rng, 1, 300);
    service.enabled = rng_below(&rng, 2);
    return service;
}

static void put_word(const struct notation *n, const char *word, struct buf *out)
{
    for (size_t i = 0; word[i]; i++)
        buf_add_byte(out, (uint8_t)(!n->upper        ? word[i]
                                    : word[i] == '-' ? '_'
                                                     : toupper((unsigned char)word[i])));
}

static void put_line(const struct notation *n, const char *section, const char *key, const char *value,
                     bool text, struct buf *out)
{
    const char *quote = text ? n->quote : "";
    buf_add_string(out, n->indent);
    if (!n->open) {
        put_word(n, section, out);
        buf_add_string(out, n->join);
    }
    put_word(n, key, out);
    buf_addf(out, "%s%s%s%s\n", n->assign, quote, value, quote);
}

static void put_service(const struct notation *n, const struct service *service, struct buf *out)
{
    struct buf value;
    buf_init(&value, 128);
    if (n->open)
        buf_addf(out, "%s%s%s", n->open, service->name, n->opened);
    buf_addf(&value, "%s.example.org", service->name);
    put_line(n, service->name, "host", buf_string(&value), true, out);
    buf_clear(&value);
    buf_addf(&value, "%" PRId64, service->port);
    put_line(n, service->name, "port", buf_string(&value), false, out);
    buf_clear(&value);
    buf_addf(&value, "%" PRId64, service->timeout);
    put_line(n, service->name, "timeout", buf_string(&value), false, out);
    put_line(n, service->name, "enabled", service->enabled ? "true" : "false", false, out);
    buf_add_string(out, n->close);
    buf_release(&value);
}

static int config_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t sections = recipe_int(parameters, "sections");
    const struct notation *n = notations;
    while (!bytes_equal_string(recipe_bytes(parameters, "format"), n->name))
        n++;
    for (int64_t i = 0; i < sections && !out->overflow; i++) {
        struct service service = service_at(parameters, i);
        put_service(n, &service, out);
    }
    return recipe_made(out, "config", err);
}

static struct json *sum_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t sections = recipe_int(parameters, "sections"), timeout = 0, enabled = 0, port = 0;
    for (int64_t i = 0; i < sections; i++) {
        struct service service = service_at(parameters, i);
        timeout += service.timeout;
        enabled += service.enabled;
        port = service.port > port ? service.port : port;
    }
    if (bytes_equal_string(name, "sum.timeout"))
        return json_integer(a, timeout);
    if (bytes_equal_string(name, "count.enabled"))
        return json_integer(a, enabled);
    return bytes_equal_string(name, "max.port") ? json_integer(a, port) : NULL;
}

static struct json *config_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t sections = recipe_int(parameters, "sections");
    struct service first = service_at(parameters, 0);
    if (bytes_equal_string(name, "sections"))
        return json_integer(a, sections);
    if (bytes_equal_string(name, "keys"))
        return json_integer(a, sections * KEYS);
    if (bytes_equal_string(name, "first-section"))
        return json_text(a, first.name);
    return bytes_equal_string(name, "first-port") ? json_integer(a, first.port)
                                                  : sum_fact(parameters, name, a);
}

static int config_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"format", "\"ini\"", "notation", RECIPE_ONE_OF, 0, 0, format_values},
    {"sections", "5", "services, each with host, port, timeout, enabled", RECIPE_INT, 1, SECTIONS_MAX, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"sections",    "keys",          "first-section", "first-port",
                                    "sum.timeout", "count.enabled", "max.port",      NULL};

const struct recipe recipe_config = {
    .name = "config",
    .doc = "settings of services (web-1, cache-2, ...) as a program's configuration file; keys counts those "
           "of all sections",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = config_make,
    .fact = config_fact,
    .utf8 = config_utf8,
};
