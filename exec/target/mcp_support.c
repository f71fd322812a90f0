/* What an MCP server can do: ops with a tool, ways that keep bytes, and languages, which are tried once. */
#include <string.h>

#include "base/clock.h"
#include "exec/target/driver_mcp_internal.h"
#include "exec/target/map_table.h"

/* A script in each language of language_rows that prints taskgen-42, if its interpreter is there. */
static const char *const probes[] = {
    "echo taskgen-$((40+2))",
    "echo taskgen-$((40+2))",
    "print('taskgen-%d' % (40 + 2))",
    "console.log('taskgen-' + (40 + 2))",
    "#include <unistd.h>\nint main(void) { char t[] = \"taskgen-40\\n\"; t[9] += 2; return write(1, t, 11) != 11; }\n",
    "class Main { public static void main(String[] a) { System.out.println(\"taskgen-\" + (40 + 2)); } }\n",
    "fn main() { println!(\"taskgen-{}\", 40 + 2); }\n",
};

enum probed { PROBED_ABSENT, PROBED_THERE, PROBED_REFUSED };

/* An open refusal says at once what it is; one that took its time may be a machine that is slow to start an interpreter. */
enum { REFUSED_AT_ONCE_NS = 1000000000, MET_ENOUGH = 3 };
_Static_assert(sizeof probes / sizeof *probes == TARGET_LANGUAGES, "a count for each");

static enum probed probe(struct session *s, const struct op *op, const char *language, const char *script)
{
    struct arena arena;
    arena_init(&arena);
    struct call call = {.op = op,
                        .args = json_new(&arena, JSON_OBJECT),
                        .cancel_after_ms = -1,
                        .arena = &arena,
                        .timeout_ms = settings_int(s->target->options.settings, "exec.probe-timeout")};
    json_set(&arena, call.args, "language", json_text(&arena, language));
    json_set(&arena, call.args, "script", json_text(&arena, script));
    int64_t start = clock_monotonic_ns();
    mcp_calls(s, (struct call *const[]){&call}, 1);
    enum outcome_class class = call.outcome.class;
    bool there = class == OUTCOME_OK && bytes_find(call.outcome.raw, BYTES_LITERAL("taskgen-42"), 0) >= 0;
    bool refused = (class == OUTCOME_TOOL_ERROR || class == OUTCOME_PROTOCOL_ERROR) &&
                   clock_monotonic_ns() - start < REFUSED_AT_ONCE_NS;
    arena_release(&arena);
    return there ? PROBED_THERE : refused ? PROBED_REFUSED : PROBED_ABSENT;
}

/* The very first call of a server may be refused though the next is not: that is the server's fault, and no reason to take the
 * language for absent. */
static bool language_is_there(struct session *s, const struct op *op, const char *language, const char *script)
{
    const struct mcp_driver *state = s->driver_state;
    bool first = state->calls == 0;
    enum probed probed = probe(s, op, language, script);
    if (probed != PROBED_REFUSED || !first)
        return probed == PROBED_THERE;
    s->first_refused = probe(s, op, language, script) == PROBED_THERE;
    return s->first_refused;
}

/* The map of an op in the way for text, by name; NULL. */
static const struct op_map *map_of(const struct session *s, const char *name)
{
    const struct mcp_driver *state = s->driver_state;
    const struct op *op = ops_find(s->target->options.ops, name);
    return op ? tool_map_find(&state->map, op, false) : NULL;
}

static bool started_as_always(const struct session *s)
{
    return !s->start.variables[0] && !s->start.shared_memory && !s->start.user && !s->start.canary;
}

/* Index into language_rows, or -1. */
static int find_language(const char *name)
{
    size_t count;
    const struct language_row *rows = language_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Asked in every session, it is the first call of each and may start an interpreter. So it is asked of the first few only: once it went
 * well in as many, sessions that are started as always take it as there. One whose first call is refused keeps all others asking. */
static bool is_known(struct session *s, int language)
{
    target_lock(s->target);
    bool known = s->target->languages_met[language] >= MET_ENOUGH;
    target_unlock(s->target);
    return known && started_as_always(s);
}

static void note_met(struct session *s, int language)
{
    if (!started_as_always(s) || s->first_refused)
        return;
    target_lock(s->target);
    s->target->languages_met[language] += s->target->languages_met[language] < MET_ENOUGH;
    target_unlock(s->target);
}

static bool has_language(struct session *s, const struct op *run, const char *name, int language)
{
    if (is_known(s, language))
        return true;
    bool there = language_is_there(s, run, name, probes[language]);
    if (there)
        note_met(s, language);
    return there;
}

static enum support supports_language(struct session *s, const char *name)
{
    const struct op_map *run = map_of(s, "run"), *start = map_of(s, "start");
    int language = find_language(name);
    unsigned bit = language < 0 ? 0 : 1u << language;
    if (!run) /* what runs only in the background tells nothing at once: it is taken at its word */
        return start && start->languages & bit ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (!(run->languages & bit))
        return SUPPORT_NONE;
    if (!(s->languages_probed & bit) && has_language(s, run->op, name, language))
        s->languages_there |= bit;
    s->languages_probed |= bit;
    return s->languages_there & bit ? SUPPORT_NATIVE : SUPPORT_NONE;
}

static bool supports_bytes(const struct mcp_driver *state, const struct op *op)
{
    const struct op_map *text = tool_map_find(&state->map, op, false);
    if (strcmp(op->name, "read") == 0)
        return text && text->coding == CODING_BASE64;
    return tool_map_find(&state->map, op, true) != NULL;
}

/* "OP:bytes". */
static enum support supports_way(struct session *s, const struct op *op, const char *way)
{
    return strcmp(way, "bytes") == 0 && supports_bytes(s->driver_state, op) ? SUPPORT_NATIVE : SUPPORT_NONE;
}

enum support mcp_supports(struct session *s, const char *need)
{
    const struct mcp_driver *state = s->driver_state;
    if (strcmp(need, "browser") == 0)
        return map_of(s, "navigate") ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (strcmp(need, "send") == 0 || strcmp(need, "mcp") == 0)
        return SUPPORT_NATIVE;
    if (strcmp(need, "send:http") == 0)
        return state->over_http ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (strcmp(need, "call") == 0)
        return state->server.tools.count ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (strncmp(need, "run:", 4) == 0)
        return supports_language(s, need + 4);
    char name[64];
    size_t length = strcspn(need, ":");
    if (length >= sizeof name)
        return SUPPORT_NONE;
    memcpy(name, need, length);
    name[length] = '\0';
    const struct op *op = ops_find(s->target->options.ops, name);
    if (!op)
        return SUPPORT_NONE;
    if (need[length])
        return supports_way(s, op, need + length + 1);
    bool mapped = tool_map_find(&state->map, op, false) || tool_map_find(&state->map, op, true);
    return mapped ? SUPPORT_NATIVE : SUPPORT_NONE;
}

/* A run's output comes as text, in one piece or in labelled ones: nothing to rely on. All runs of one
 * server share its network. */
unsigned mcp_run_channel(struct session *s)
{
    const struct op_map *map = map_of(s, "run");
    unsigned flags = RUN_NETWORK;
    for (const struct json *one = map ? map->arguments->first : NULL; one; one = one->next)
        if (bytes_equal_string(json_as_text(json_get(one, "$arg")), "stdin") &&
            bytes_equal_string(json_as_text(json_get(one, "as")), "base64"))
            flags |= RUN_STDIN;
    return flags;
}

const struct op *mcp_helper(struct session *s, const char *name)
{
    const struct mcp_driver *state = s->driver_state;
    return tool_map_helper(&state->map, name);
}
