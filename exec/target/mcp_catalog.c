/* Lists of resources, templates and prompts; see mcp_catalog.h. */
#include "exec/target/mcp_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/mcp_ask.h"
#include "exec/target/mcp_pages.h"

enum { ITEMS_MAX = 1000, ITEM_BYTES = 16 << 10, NAMES_SHOWN = 20, NAME_SHOWN = 60 };

static const struct row {
    const char *capability, *method, *member;
    const char *name;    /* the member that an item must have */
    const char *more;    /* kept beside it; NULL */
    const char *word;    /* for people: of one */
} rows[CATALOG_LISTS] = {
    {"resources", "resources/list", "resources", "uri", NULL, "resource"},
    {"resources", "resources/templates/list", "resourceTemplates", "uriTemplate", NULL, "resource template"},
    {"prompts", "prompts/list", "prompts", "name", "arguments", "prompt"},
};

/* A directory of this session stands in it. */
static bool is_own(const struct session *s, struct bytes name)
{
    return bytes_find(name, bytes_of_string(s->root), 0) >= 0 || bytes_find(name, bytes_of_string(s->home), 0) >= 0;
}

static size_t written_size(const struct json *value)
{
    struct buf text;
    buf_init(&text, SIZE_MAX);
    json_write(&text, value, JSON_COMPACT);
    size_t size = text.len;
    buf_release(&text);
    return size;
}

static void keep_page(struct mcp_catalog *catalog, size_t list, const struct session *s, const struct json *page)
{
    const struct row *row = &rows[list];
    struct json *items = catalog->lists[list].items;
    for (const struct json *one = json_is(page, JSON_ARRAY) ? page->first : NULL; one; one = one->next) {
        const struct json *name = json_get(one, row->name), *more = row->more ? json_get(one, row->more) : NULL;
        if (!json_is(name, JSON_STRING) || name->bad_utf8 || name->lone_surrogate || written_size(one) > ITEM_BYTES)
            continue;
        if (is_own(s, name->text)) {
            catalog->lists[list].own++;
            continue;
        }
        if (items->count == ITEMS_MAX) {
            catalog->lists[list].whole = false;
            return;
        }
        struct json *kept = json_add(items, json_new(&catalog->arena, JSON_OBJECT));
        json_set(&catalog->arena, kept, row->name, json_string(&catalog->arena, name->text));
        if (more)
            json_set(&catalog->arena, kept, row->more, json_copy(&catalog->arena, more));
    }
}

/* A page that does not come ends the list; that is data, not an error. */
static void fetch_list(struct mcp_driver *state, struct mcp_catalog *catalog, size_t list, int64_t until)
{
    struct mcp_pages pages = {0};
    struct arena a;
    arena_init(&a);
    catalog->lists[list].whole = true;
    do {
        int64_t left = (until - clock_monotonic_ns()) / 1000000;
        struct mcp_exchange x = {.method = rows[list].method,
                                 .params = mcp_pages_params(&pages, &a),
                                 .timeout_ms = left > 1 ? left : 1,
                                 .cancel_after_ms = -1,
                                 .arena = &a};
        const struct json *result = NULL;
        bool refused = false;
        if (mcp_ask(state->peer.client, &x, "the server", &a, &result, &refused, NULL) < 0 || refused) {
            catalog->lists[list].whole = false;
            break;
        }
        keep_page(catalog, list, state->peer.session, json_get(result, rows[list].member));
        if (!mcp_pages_next(&pages, result))
            break;
    } while (catalog->lists[list].whole);
    arena_release(&a);
}

static struct mcp_catalog *fetch(struct mcp_driver *state)
{
    struct mcp_catalog *catalog = xcalloc(1, sizeof *catalog);
    const struct settings *settings = state->peer.session->target->options.settings;
    int64_t until = clock_monotonic_ns() + settings_int(settings, "exec.start-timeout") * 1000000;
    arena_init(&catalog->arena);
    for (size_t i = 0; i < CATALOG_LISTS; i++) {
        catalog->lists[i].member = rows[i].member;
        catalog->lists[i].items = json_new(&catalog->arena, JSON_ARRAY);
        catalog->lists[i].declared = json_is(json_get(state->server.capabilities, rows[i].capability), JSON_OBJECT);
        if (catalog->lists[i].declared)
            fetch_list(state, catalog, i, until);
    }
    return catalog;
}

static void catalog_free(void *context)
{
    struct mcp_catalog *catalog = context;
    arena_release(&catalog->arena);
    free(catalog);
}

/* Fetched without the lock, which sessions of other threads need: who is second throws its own away. */
const struct mcp_catalog *mcp_catalog_of(struct mcp_driver *state)
{
    struct target *t = state->peer.session->target;
    target_lock(t);
    struct mcp_catalog *there = t->driver_shared;
    target_unlock(t);
    if (there)
        return there;
    struct mcp_catalog *mine = fetch(state);
    target_lock(t);
    there = t->driver_shared;
    if (!there) {
        t->driver_shared = there = mine;
        t->free_shared = catalog_free;
    }
    target_unlock(t);
    if (there != mine)
        catalog_free(mine);
    return there;
}

void mcp_catalog_add(const struct mcp_catalog *catalog, const struct mcp_server *server, struct arena *a, struct json *object)
{
    struct json *capabilities = server->capabilities ? json_copy(a, server->capabilities) : json_new(a, JSON_OBJECT);
    json_set(a, object, "capabilities", capabilities);
    for (size_t i = 0; i < CATALOG_LISTS; i++)
        if (catalog->lists[i].items->count)
            json_set(a, object, catalog->lists[i].member, json_copy(a, catalog->lists[i].items));
}

void mcp_catalog_explain(const struct mcp_catalog *catalog, struct buf *out)
{
    for (size_t i = 0; i < CATALOG_LISTS; i++) {
        const struct json *items = catalog->lists[i].items;
        if (!catalog->lists[i].declared)
            continue;
        size_t count = items->count + catalog->lists[i].own;
        buf_addf(out, "%s%zu %s%s", catalog->lists[i].whole ? "" : "at least ", count, rows[i].word, count == 1 ? "" : "s");
        size_t shown = 0;
        for (const struct json *one = items->first; one && shown < NAMES_SHOWN; one = one->next, shown++) {
            buf_add_string(out, shown ? ", " : ": ");
            add_visible(out, json_get(one, rows[i].name)->text, NAME_SHOWN);
        }
        if (catalog->lists[i].own)
            buf_addf(out, "%s %zu in this session's own directories", shown ? "," : ":", catalog->lists[i].own);
        buf_add_string(out, shown < items->count ? ", …\n" : "\n");
    }
}
