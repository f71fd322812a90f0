/* What became of files: which kind of path, which kind of change. From the looks just before and after each step at the paths it names, from
 * names that turned up beside them, and from files around the end of a session. The op goes into the tuple: that a file vanishes says
 * little, that it vanishes while it is read says much. */
#include "exec/oracle/features/features.h"
#include "exec/oracle/judge.h"

enum change { CREATED, VANISHED, OTHER_KIND, OTHER_BYTES, OTHER_MODE, OTHER_TARGET, TURNED_UP, CHANGES };
static const char *const change_words[CHANGES] = {
    "is made", "vanishes", "becomes another kind of file", "gets other bytes", "gets another mode", "leads elsewhere", "turns up",
};

enum place { PLACE_ROOT, PLACE_TOP, PLACE_BELOW, PLACE_HIDDEN, PLACE_UP, PLACE_HOME, PLACE_TMP, PLACE_KERNEL, PLACE_ELSEWHERE };
static const char *const place_words[] = {
    "the root", "a file in the root", "a file in a directory", "a hidden file", "a file beyond ..", "a file of the home",
    "a file in /tmp", "a file of the kernel", "a file elsewhere",
};

static bool begins_any(struct bytes path, const char *const *with)
{
    for (; *with; with++)
        if (bytes_starts(path, bytes_of_string(*with)))
            return true;
    return false;
}

static enum place place_of(struct bytes path)
{
    static const char *const tmp[] = {"/tmp/", "/var/tmp/", "/dev/shm/", NULL}, *const kernel[] = {"/proc", "/sys", "/dev", NULL};
    while (bytes_starts(path, BYTES_LITERAL("./")))
        path = bytes_slice(path, 2, path.len);
    struct bytes name = path_name(path);
    if (bytes_starts(path, BYTES_LITERAL("~")))
        return PLACE_HOME;
    if (begins_any(path, tmp))
        return PLACE_TMP;
    if (bytes_starts(path, BYTES_LITERAL("/")))
        return begins_any(path, kernel) ? PLACE_KERNEL : PLACE_ELSEWHERE;
    if (bytes_starts(path, BYTES_LITERAL("../")) || bytes_find(path, BYTES_LITERAL("/../"), 0) >= 0)
        return PLACE_UP;
    if (!path.len || bytes_equal(path, BYTES_LITERAL(".")))
        return PLACE_ROOT;
    if (bytes_starts(name, BYTES_LITERAL(".")))
        return PLACE_HIDDEN;
    return name.len == path.len ? PLACE_TOP : PLACE_BELOW;
}

static void add(struct features *f, uint64_t op, const char *words, enum place place, enum change change)
{
    if (feature_add(f, hash64_mix(op, (uint64_t)place << 8 | (uint64_t)change)))
        feature_say(f, "%s: %s %s", words, place_words[place], change_words[change]);
}

static void compare(struct features *f, uint64_t op, const char *words, struct bytes path, const struct file_view *a, const struct file_view *b)
{
    if (a->by == WITNESS_NONE || b->by == WITNESS_NONE || (!a->exists && !b->exists))
        return;
    enum place place = place_of(path);
    if (a->exists != b->exists) {
        add(f, op, words, place, b->exists ? CREATED : VANISHED);
        return;
    }
    if (a->kind != b->kind)
        add(f, op, words, place, OTHER_KIND);
    else if (a->kind == 'l' && !bytes_equal(a->target, b->target))
        add(f, op, words, place, OTHER_TARGET);
    else if (a->kind == 'f' && (a->size != b->size || (view_has_bytes(a) && view_has_bytes(b) && !view_same_bytes(a, b))))
        add(f, op, words, place, OTHER_BYTES);
    if (a->kind == b->kind && a->mode != b->mode)
        add(f, op, words, place, OTHER_MODE);
}

void feature_find_fs_delta(struct features *f, const struct execution *e)
{
    static const char at_end[] = "the end of a session";
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!f->ops[i])
            continue;
        const char *words = feature_op_words(f, o);
        compare(f, f->ops[i], words, observation_argument(o, "path"), &o->before, &o->after);
        compare(f, f->ops[i], words, observation_argument(o, "to"), &o->to_before, &o->to_after);
        for (size_t k = 0; k < o->appeared_count; k++)
            add(f, f->ops[i], words, place_of(o->appeared[k]), TURNED_UP);
    }
    for (size_t i = 0; i < e->kept_count; i++)
        compare(f, feature_text(at_end), at_end, e->kept[i].path, &e->kept[i].before, &e->kept[i].after);
}
