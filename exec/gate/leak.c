/* What the agent sees and should not: the solution's text, scripts of the verifier, and answers. An answer that stands in a file
 * of the environment may be what the task gives; so the solution runs once more with that file empty: if it still passes and leaves
 * the same, the file is not needed and only betrays. */
#include "exec/gate/gate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "exec/gate/tree.h"

enum { SUSPECTS = 8, SEEN_MAX = 64 << 20, SHORTEST = 8, LINE = 20, SCRIPT_MAX = 1 << 20 };

struct scan {
    const struct gate_case *c;
    struct buf solution;
    char *found;   /* a line for people */
    struct strings suspects, whys; /* files of the environment that hold an answer, at most SUSPECTS; and which */
};

static bool holds(struct bytes text, struct bytes what)
{
    return what.len >= SHORTEST && bytes_find(text, what, 0) >= 0;
}

static struct bytes trimmed(struct bytes b)
{
    while (b.len && isspace(b.data[b.len - 1]))
        b.len--;
    return b;
}

/* "" as it is, "in base64", "in hex": how text holds an answer; NULL: it does not. */
static const char *how_held(struct bytes text, struct bytes answer)
{
    const char *how = NULL;
    struct buf code;
    answer = trimmed(answer);
    if (answer.len < SHORTEST)
        return NULL;
    if (holds(text, answer))
        return "";
    buf_init(&code, SIZE_MAX);
    base64_encode(&code, bytes_slice(answer, 0, answer.len - answer.len % 3)); /* what follows it does not change these */
    if (holds(text, buf_bytes(&code)))
        how = " in base64";
    buf_clear(&code);
    hex_encode(&code, answer);
    if (!how && holds(text, buf_bytes(&code)))
        how = " in hex";
    buf_release(&code);
    return how;
}

/* Half of the solution's longer lines or more. */
static bool holds_solution(const struct scan *s, struct bytes text)
{
    struct bytes all = buf_bytes(&s->solution);
    size_t lines = 0, held = 0;
    for (size_t at = 0; at < all.len;) {
        const uint8_t *newline = memchr(all.data + at, '\n', all.len - at);
        size_t end = newline ? (size_t)(newline - all.data) : all.len;
        struct bytes line = trimmed(bytes_slice(all, at, end));
        at = end + 1;
        if (line.len < LINE || line.data[0] == '#' || bytes_starts(line, BYTES_LITERAL("set ")))
            continue;
        lines++;
        held += bytes_find(text, line, 0) >= 0;
    }
    return lines && held * 2 >= lines && (lines > 1 || held);
}

static void look_at_file(struct scan *s, const char *path, struct bytes text)
{
    const struct gate_case *c = s->c;
    struct buf code;
    buf_init(&code, SIZE_MAX);
    base64_encode(&code, buf_bytes(&s->solution));
    if (holds_solution(s, text) || holds(text, buf_bytes(&code)))
        s->found = strings_printf("%s holds the solution's text", tree_shown(path));
    buf_release(&code);
    bool instruction = !strcmp(path, "instruction.md");
    for (size_t i = 0; !s->found && i < c->outputs.count; i++) {
        struct bytes answer = buf_bytes(&c->contents[i]);
        const char *how = how_held(text, answer);
        if (!how || (instruction && how_held(buf_bytes(&s->solution), answer)))
            continue; /* the solution spells it too: the task is to write what is told */
        char *why = strings_printf("%s holds the answer %s%s", tree_shown(path), c->outputs.items[i], how);
        if (instruction) {
            s->found = why;
            break;
        }
        if (s->suspects.count < SUSPECTS && !strings_have(s->suspects.items, path)) {
            strings_add(&s->suspects, path);
            strings_add(&s->whys, why);
        }
        free(why);
    }
}

static int look(void *user, const struct tree_entry *e, struct error **err)
{
    struct scan *s = user;
    struct buf text;
    if (!strcmp(e->path, "solution") || !strcmp(e->path, "tests"))
        return 1;
    bool seen = !strcmp(e->path, "instruction.md") || !strncmp(e->path, "environment/", 12);
    if (!seen || !S_ISREG(e->st.st_mode) || s->found)
        return 0;
    buf_init(&text, SEEN_MAX);
    int status = tree_read(e, SEEN_MAX, &text, err);
    if (!status)
        look_at_file(s, e->path, buf_bytes(&text));
    buf_release(&text);
    return status;
}

/* Did the solution make the same as it did with all its files? */
static bool made_the_same(const struct gate_case *c, const struct state *state)
{
    for (size_t i = 0; i < c->outputs.count; i++) {
        const struct state_item *now = state_find(state, c->outputs.items[i]), *then = state_find(&c->solved, c->outputs.items[i]);
        if (!now || now->hash != then->hash)
            return false;
    }
    return true;
}

/* Is the suspect needed? The solution runs without what is in it; the copy is put back. */
static int try_without(struct scan *s, const char *suspect, const char *why, struct error **err)
{
    static const struct gate_trial trial = {.name = "without a file", .solve = true};
    const struct gate_task *t = s->c->task;
    char *path = strings_printf("%s/%s", t->copy, suspect), *aside = strings_printf("%s/aside", t->work), *solution = strings_printf("%s/solution", t->copy);
    struct trial_result result;
    struct state state = {0};
    FILE *empty = NULL;
    int status = 0;
    if (rename(path, aside) < 0 || !(empty = fopen(path, "we")))
        status = error_set(err, ERR_OUTPUT, "%s: %m", path);
    if (empty)
        fclose(empty);
    if (!status)
        status = trial_run(s->c, &trial, solution, &result, &state, err);
    rename(aside, path);
    if (!status && result.good && made_the_same(s->c, &state))
        s->found = strings_printf("%s, and its solution does not need that file", why);
    state_release(&state);
    free(path);
    free(aside);
    free(solution);
    return status;
}

int leak_look(const struct gate_case *c, char **found, struct error **err)
{
    struct scan s = {.c = c};
    buf_init(&s.solution, SCRIPT_MAX);
    int status = tree_read_at(c->task->copy, "solution/solve.sh", SCRIPT_MAX, &s.solution, err);
    if (!status)
        status = tree_walk(c->task->copy, look, &s, err);
    for (size_t i = 0; !status && !s.found && i < s.suspects.count; i++) {
        if (!strcmp(s.suspects.items[i], "environment/Dockerfile"))
            s.found = xstrdup(s.whys.items[i]);
        else
            status = try_without(&s, s.suspects.items[i], s.whys.items[i], err);
    }
    buf_release(&s.solution);
    strings_release(&s.suspects);
    strings_release(&s.whys);
    *found = s.found;
    return status;
}
