/* Who may touch a file beside the step that is looked at: other steps of its group, and programs left in the
 * background. In doubt the answer is yes, so that no check takes somebody else's change for a fault of the
 * target. */
#include "exec/oracle/facts.h"
#include "exec/oracle/judge.h"
#include "exec/oracle/script.h"

#include <string.h>

struct bytes observation_script(const struct observation *o)
{
    struct bytes script = observation_argument(o, "script");
    if (script.len)
        return script;
    const struct json *argv = json_get(o->args, "argv");
    /* The last word of argv carries the text of a shell's or an interpreter's -c. */
    return json_is(argv, JSON_ARRAY) && json_is(argv->last, JSON_STRING) ? argv->last->text : BYTES_NONE;
}

static bool runs_programs(const struct observation *o)
{
    static const char *const ops[] = {"run", "start", "call", "send", "request", NULL};
    return observation_is_any(o, ops);
}

static bool quoted_at(struct bytes text, size_t at, struct bytes name)
{
    size_t i = 0;
    for (; i < name.len && at < text.len; at++) {
        uint8_t c = text.data[at];
        if (c == name.data[i])
            i++;
        else if (c != '\'' && c != '"' && c != '\\')
            return false;
    }
    return i == name.len;
}

bool text_names(struct bytes text, struct bytes name)
{
    if (bytes_find(text, name, 0) >= 0)
        return true;
    for (size_t at = 0; at < text.len; at++)
        if (text.data[at] == name.data[0] && quoted_at(text, at, name))
            return true;
    return false;
}

static bool mentions(const struct observation *o, struct bytes name)
{
    const struct json *argv = json_get(o->args, "argv");
    if (json_is(argv, JSON_ARRAY))
        for (const struct json *word = argv->first; word; word = word->next)
            if (text_names(json_as_text(word), name))
                return true;
    /* A shell may read its script from its input. */
    return text_names(observation_argument(o, "script"), name) || text_names(observation_argument(o, "stdin"), name);
}

/* A careless target acts on what stands before a NUL, and witnesses look there. */
static struct bytes before_nul(struct bytes path)
{
    ptrdiff_t nul = bytes_find(path, bytes_of("", 1), 0);
    return nul < 0 ? path : bytes_slice(path, 0, (size_t)nul);
}

bool observation_touches(const struct observation *o, struct bytes path)
{
    path = before_nul(path);
    struct bytes name = path_name(path);
    if (observation_is(o, "run") || observation_is(o, "start"))
        return name.len == 0 || mentions(o, name) ||
               bytes_find(observation_script(o), BYTES_LITERAL("*"), 0) >= 0;
    if (runs_programs(o))
        return true;
    return path_same(before_nul(observation_argument(o, "path")), path) || path_same(before_nul(observation_argument(o, "to")), path);
}

bool group_touches(const struct execution *e, size_t index, struct bytes path)
{
    const struct observation *o = &e->observations[index];
    if (!o->in_group)
        return false;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *other = &e->observations[i];
        bool same_group = other->in_group && other->step->group &&
                          strcmp(other->step->group, o->step->group) == 0;
        if (i != index && same_group && observation_touches(other, path))
            return true;
    }
    return false;
}

bool script_in_background(struct bytes script)
{
    static const char *const words[] = {"nohup",   "setsid", "disown", "Popen",
                                        "os.fork", "spawn",  "daemon", "threading"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script, bytes_of_string(words[i]), 0) >= 0)
            return true;
    /* A single &, which is neither && nor part of a redirection like 2>&1 or &>. */
    for (ptrdiff_t at = 0; (at = bytes_find(script, BYTES_LITERAL("&"), (size_t)at)) >= 0; at++) {
        size_t i = (size_t)at;
        uint8_t before = i > 0 ? script.data[i - 1] : 0, after = i + 1 < script.len ? script.data[i + 1] : 0;
        if (before != '&' && before != '>' && before != '<' && after != '&' && after != '>')
            return true;
    }
    return false;
}

bool stores_background(const struct observation *o)
{
    return script_in_background(observation_argument(o, "content")) || script_in_background(observation_argument(o, "new"));
}

bool runs_background_file(const struct execution *e, size_t index)
{
    const struct facts *f = e->facts;
    const struct observation *o = &e->observations[index];
    size_t count = f ? f->stored_count : index;
    if (!observation_is(o, "run") && !observation_is(o, "start"))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = f ? f->stored[i] : i;
        struct bytes name = path_name(observation_argument(&e->observations[at], "path"));
        if (at < index && name.len && (f || stores_background(&e->observations[at])) && script_runs_file(o, name))
            return true;
    }
    return false;
}

bool works_on(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    bool unfinished = observation_lost(o) || observation_mutated(o) || o->step->cancel_after_ms >= 0;
    return o->outcome.class != OUTCOME_SKIPPED && (observation_is(o, "start") || unfinished ||
                                                   (observation_is(o, "run") && script_in_background(observation_script(o))) ||
                                                   runs_background_file(e, index));
}

/* What goes on unseen may have put the name together, as "$f.new": where it speaks of what the name begins with, it may be meant. */
static bool may_mean(const struct observation *o, struct bytes path)
{
    enum { STEM_LEAST = 4 };
    struct bytes name = path_name(path);
    ptrdiff_t dot = bytes_find(name, BYTES_LITERAL("."), 1);
    bool programs = observation_is(o, "run") || observation_is(o, "start");
    return programs && dot >= STEM_LEAST && mentions(o, bytes_slice(name, 0, (size_t)dot));
}

static bool goes_on_at(const struct execution *e, size_t at, struct bytes path)
{
    const struct observation *o = &e->observations[at];
    return works_on(e, at) && (observation_touches(o, path) || may_mean(o, path) || runs_background_file(e, at));
}

static bool known_at(const struct execution *e, const struct background *b, struct bytes path)
{
    const struct observation *o = &e->observations[b->index];
    return b->any || observation_touches(o, path) || may_mean(o, path);
}

bool background_touches(const struct execution *e, size_t index, struct bytes path)
{
    const struct facts *f = e->facts;
    for (size_t i = 0; f && i < f->background_count && f->background[i].index < index; i++)
        if (known_at(e, &f->background[i], path))
            return true;
    for (size_t i = 0; !f && i < e->count && i < index; i++)
        if (goes_on_at(e, i, path))
            return true;
    return false;
}
