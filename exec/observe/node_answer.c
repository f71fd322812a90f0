/* Each range becomes a thing seen. What the answer has beside that, and what has another form, is passed over. */
#include "exec/observe/node_answer.h"

enum { NAME_MAX_BYTES = 256 };

/* The same on every machine: below the last node_modules, or below where the server's first script lies. */
static struct bytes script_name(struct bytes file, struct bytes directory)
{
    static const char modules[] = "/node_modules/";
    ptrdiff_t last = -1;
    for (ptrdiff_t at = -1; (at = bytes_find(file, bytes_of_string(modules), (size_t)(at + 1))) >= 0;)
        last = at;
    if (last >= 0)
        return bytes_slice(file, (size_t)last + sizeof modules - 1, file.len);
    if (directory.len && bytes_starts(file, directory) && file.len > directory.len && file.data[directory.len] == '/')
        return bytes_slice(file, directory.len + 1, file.len);
    size_t name = file.len;
    while (name && file.data[name - 1] != '/')
        name--;
    return bytes_slice(file, name, file.len);
}

/* 0, 1, 2-3, 4-7, …, 1024 and more. */
static unsigned count_class(int64_t count)
{
    enum { TOP = 11 };
    unsigned class = 0;
    for (; count > 0 && class < TOP; count /= 2)
        class++;
    return class;
}

struct place {
    struct bytes file, name;
    struct bytes function;
};

/* Names go into the text of each range. */
static struct bytes short_of(struct bytes name)
{
    return bytes_slice(name, 0, NAME_MAX_BYTES);
}

static void add_range(struct script_lines *lines, struct seen_list *list, const struct place *p, const int64_t range[3])
{
    struct arena *a = list->arena;
    unsigned class = count_class(range[2]);
    struct bytes function = p->function.len ? p->function : bytes_of_string("(anonymous)");
    const char *key = arena_printf(a, "%.*s %.*s %lld-%lld %u", BYTES_ARG(p->name), BYTES_ARG(p->function), (long long)range[0],
                                   (long long)range[1], class);
    unsigned first = script_line(lines, p->file, range[0]), last = script_line(lines, p->file, range[1]);
    const char *where = first && last ? arena_printf(a, ":%u-%u", first, last) : arena_printf(a, " at %lld", (long long)range[0]);
    const char *often = class == 0 ? "not run" : class == 1 ? "once" : arena_printf(a, "%u times or more", 1u << (class - 1));
    seen_add(list, SEEN_CODE, key,
             arena_printf(a, "%.*s%s %.*s, %s", BYTES_ARG(p->name), where, BYTES_ARG(function), often));
}

static void add_function(struct script_lines *lines, struct seen_list *list, struct place *p, const struct json *function)
{
    p->function = short_of(json_as_text(json_at(function, 0)));
    const struct json *next = json_at(function, 1);
    int64_t range[3];
    size_t have = 0;
    for (next = next ? next->first : NULL; next; next = next->next) {
        if (!json_as_integer(next, &range[have++]))
            return;
        if (have == 3)
            add_range(lines, list, p, range);
        have %= 3;
    }
}

static void add_scripts(struct script_lines *lines, struct seen_list *list, const struct json *answer)
{
    struct bytes directory = json_as_text(json_get(answer, "directory"));
    const struct json *scripts = json_get(answer, "scripts");
    for (const struct json *script = scripts ? scripts->first : NULL; script; script = script->next) {
        struct place p = {.file = json_as_text(json_at(script, 0))};
        p.name = short_of(script_name(p.file, directory));
        const struct json *functions = json_at(script, 1);
        for (const struct json *f = functions ? functions->first : NULL; f; f = f->next)
            add_function(lines, list, &p, f);
    }
}

bool node_answer_read(struct bytes line, unsigned number, struct script_lines *lines, struct seen_list *list)
{
    struct arena a;
    struct json *answer = NULL;
    int64_t n = 0;
    arena_init(&a);
    bool good = line.len && json_read(&a, line, NULL, "observer", &answer, NULL, NULL) == 0 &&
                json_as_integer(json_get(answer, "n"), &n) && n == (int64_t)number;
    if (good && list)
        add_scripts(lines, list, answer);
    arena_release(&a);
    return good;
}
