/* The inside witness: a shell script, run by the target, that prints what it sees in lines of our own making.
 *
 * A target may put words around a program's output, cut it, or mix streams; so each line begins with a mark
 * made afresh for each look and ends with another, whatever is not between them is ignored, and bytes travel
 * as base64. A line that came damaged counts as not said. */
#include "exec/witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/hash.h"
#include "exec/target/session_base.h"

enum { SCRIPT_MAX = 1 << 16 };

/* $m is the mark. All three work with dash and with busybox. */
static const char say_text[] = "say() { printf '%s %s ;%s\\n' \"$m\" \"$*\" \"$m\"; }\n"
                               "b() { base64 | tr -d '\\n'; }\n";

/* $p is the path, $n how many bytes may be sent, $e whether names are wanted. It is run for every task with a file, so it starts few
 * programs: base64 of 57 bytes is one line as it is, and the shell takes blanks away itself. */
static const char look_text[] = "body() {\n"
                                "  set -- $(wc -c < \"$p\"); s=$1; say size \"$s\"\n"
                                "  h=$(sha256sum < \"$p\"); say sha \"${h%% *}\"\n"
                                "  if [ \"$s\" -le 57 ]; then d=$(base64 < \"$p\"); say data \"$d.\"\n"
                                "  elif [ \"$s\" -le \"$n\" ]; then d=$(b < \"$p\"); say data \"$d.\"; fi\n"
                                "}\n"
                                "if [ -L \"$p\" ]; then say kind l; t=$(readlink \"$p\" | b); say target "
                                "\"$t.\"; if [ -f \"$p\" ]; then body; fi\n"
                                "elif [ -f \"$p\" ]; then say kind f; body\n"
                                "elif [ -d \"$p\" ]; then say kind d\n"
                                "  if [ \"$e\" = 1 ]; then\n"
                                "    for x in \"$p\"/* \"$p\"/.[!.]* \"$p\"/..?*; do\n"
                                "      if [ -e \"$x\" ] || [ -L \"$x\" ]; then x=${x##*/}; y=$(printf '%s' "
                                "\"$x\" | b); say name \"$y.\"; fi\n"
                                "    done; say names end\n"
                                "  fi\n"
                                "elif [ -e \"$p\" ]; then say kind o\n"
                                "else say kind none; fi\n"
                                "q=$(stat -c %a \"$p\" 2>/dev/null) && say mode \"$q\"\n"
                                "say end\n";

/* $x is a pattern for the name, $n the number of bytes that the file must end with, $h their hash. Where sessions see each other's
 * directories, another one's file is nothing that this one has made. */
static const char find_text[] =
    "case $PWD in */" SESSION_BASE_PREFIX "-*) o=${PWD##*/" SESSION_BASE_PREFIX "-}; o=${o%%/*} ;; *) o=none ;; esac\n"
    "for d in /tmp /var/tmp \"$TMPDIR\" \"$HOME\" /workspace /work /data /mnt /home /root /app ..; do\n"
    "  if [ -d \"$d\" ]; then find \"$d\" -maxdepth 8 -type d -name '" SESSION_BASE_PREFIX "-*' ! -name \"" SESSION_BASE_PREFIX "-$o\" -prune \\\n"
    "    -o -name \"$x\" -type f -print 2>/dev/null | head -n 20; fi\n"
    "done | while IFS= read -r f; do\n"
    "  g=$(tail -c \"$n\" < \"$f\" 2>/dev/null | sha256sum)\n"
    "  if [ \"${g%% *}\" = \"$h\" ]; then f=$(printf '%s' \"$f\" | b); say found \"$f.\"; break; fi\n"
    "done\n"
    "say end\n";

/* Sets a shell variable to any bytes but NUL: printf with octal escapes, and a dot against the loss of final
 * newlines. */
static void set_variable(struct buf *script, const char *name, struct bytes value)
{
    buf_addf(script, "%s=$(printf '", name);
    for (size_t i = 0; i < value.len; i++)
        buf_addf(script, "\\%03o", value.data[i]);
    buf_addf(script, ".'); %s=${%s%%.}\n", name, name);
}

struct lines {
    struct bytes text, mark;
    size_t at;
};

/* The next "MARK key value ;MARK": key and value, or false. */
static bool next_line(struct lines *l, struct bytes *key, struct bytes *value)
{
    for (;;) {
        ptrdiff_t from = bytes_find(l->text, l->mark, l->at);
        if (from < 0)
            return false;
        size_t start = (size_t)from + l->mark.len + 1;
        ptrdiff_t to = bytes_find(l->text, BYTES_LITERAL(" ;"), start);
        if (to < 0)
            return false;
        struct bytes end = bytes_slice(l->text, (size_t)to + 2, (size_t)to + 2 + l->mark.len);
        l->at = start;
        if (!bytes_equal(end, l->mark))
            continue;
        struct bytes line = bytes_slice(l->text, start, (size_t)to);
        ptrdiff_t space = bytes_find(line, BYTES_LITERAL(" "), 0);
        *key = bytes_slice(line, 0, space < 0 ? line.len : (size_t)space);
        *value = space < 0 ? BYTES_NONE : bytes_slice(line, (size_t)space + 1, line.len);
        l->at = (size_t)to + 2 + l->mark.len;
        return true;
    }
}

/* Base64 with a final dot, which shows that it is whole. */
static bool decoded(struct bytes value, struct arena *a, struct bytes *out)
{
    struct buf data;
    if (!bytes_ends(value, BYTES_LITERAL(".")))
        return false;
    buf_init(&data, 1 << 20);
    bool ok = base64_decode(&data, bytes_slice(value, 0, value.len - 1)) == 0;
    if (ok)
        *out = arena_copy(a, buf_bytes(&data));
    buf_release(&data);
    return ok;
}

struct names {
    struct bytes *items;
    size_t count, capacity;
    bool whole; /* the list was said to its end */
};

static void add_name(struct names *n, struct bytes value, struct arena *a)
{
    struct bytes name;
    if (n->count > WITNESS_ENTRIES_MAX || !decoded(value, a, &name))
        return;
    if (n->count == n->capacity) {
        n->capacity = n->capacity ? 2 * n->capacity : 32;
        n->items = xrealloc(n->items, n->capacity * sizeof *n->items);
    }
    n->items[n->count++] = name;
}

static uint64_t number_of(struct bytes value, int base)
{
    char digits[24] = "";
    if (value.len >= sizeof digits)
        return 0;
    memcpy(digits, value.data ? value.data : (const uint8_t *)"", value.len);
    return strtoull(digits, NULL, base);
}

/* Keys whose value is bytes in base64. */
static bool take_bytes(struct file_view *v, struct names *names, struct bytes key, struct bytes value,
                       struct arena *a)
{
    struct bytes text;
    if (bytes_equal_string(key, "data"))
        v->have_data = decoded(value, a, &v->data);
    else if (bytes_equal_string(key, "name"))
        add_name(names, value, a);
    else if (!bytes_equal_string(key, "target"))
        return false;
    else if (decoded(value, a, &text)) /* readlink adds a newline */
        v->target = bytes_ends(text, BYTES_LITERAL("\n")) ? bytes_slice(text, 0, text.len - 1) : text;
    return true;
}

static void take_line(struct file_view *v, struct names *names, struct bytes key, struct bytes value,
                      struct arena *a)
{
    if (take_bytes(v, names, key, value, a))
        return;
    if (bytes_equal_string(key, "kind") && value.len) {
        v->exists = !bytes_equal_string(value, "none");
        v->kind = v->exists ? (char)value.data[0] : 0;
    } else if (bytes_equal_string(key, "size")) {
        v->size = number_of(value, 10);
    } else if (bytes_equal_string(key, "mode")) {
        v->mode = (unsigned)number_of(value, 8);
    } else if (bytes_equal_string(key, "sha") && value.len == 64) {
        memcpy(v->sha256, value.data, 64);
    } else if (bytes_equal_string(key, "names")) {
        names->whole = names->count <= WITNESS_ENTRIES_MAX;
    } else if (bytes_equal_string(key, "end")) {
        v->by = WITNESS_INSIDE;
    }
}

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

void witness_read_lines(struct bytes output, struct bytes mark, struct arena *a, struct file_view *v)
{
    struct lines lines = {.text = output, .mark = mark};
    struct names names = {0};
    struct bytes key, value;
    char hash[65];
    while (next_line(&lines, &key, &value))
        take_line(v, &names, key, value, a);
    if (v->have_data) {
        sha256_hex(v->data, hash);
        v->have_data = v->size == v->data.len && strcmp(hash, v->sha256) == 0;
    }
    if (names.whole) {
        struct bytes *kept = arena_alloc(a, (names.count + 1) * sizeof *kept);
        if (names.count) {
            qsort(names.items, names.count, sizeof *names.items, compare_names);
            memcpy(kept, names.items, names.count * sizeof *kept);
        }
        v->entries = kept;
        v->entry_count = names.count;
        v->have_entries = true;
    }
    free(names.items);
}

static struct bytes output_of(const struct outcome *o)
{
    const struct json *out = json_get(o->result, "stdout");
    return json_is(out, JSON_STRING) ? out->text : o->raw;
}

/* Runs a script of ours after setting $m to a fresh mark; what it printed, or nothing. The mark is left in
 * *mark. */
static struct bytes run_script(struct witness_source *w, struct buf *variables, const char *text,
                               struct arena *a, char **mark)
{
    *mark = arena_printf(a, "tgw%016llx", (unsigned long long)hash64_mix(++w->nonce, (uint64_t)(uintptr_t)w));
    buf_addf(variables, "m=%s\n%s%s", *mark, say_text, text);
    if (variables->overflow)
        return BYTES_NONE;
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "language", json_text(a, "sh"));
    json_set(a, args, "script", json_string(a, buf_bytes(variables)));
    struct call call = {
        .op = w->run, .args = args, .timeout_ms = w->inside_ms, .cancel_after_ms = -1, .arena = a};
    struct call *calls[] = {&call};
    session_calls(w->session, calls, 1);
    return call.outcome.class == OUTCOME_OK ? output_of(&call.outcome) : BYTES_NONE;
}

void witness_look_inside(struct witness_source *w, struct bytes path, unsigned want, struct arena *a,
                         struct file_view *v)
{
    struct bytes clean;
    struct buf script;
    char *mark;
    *v = (struct file_view){0};
    if (!w->inside || !witness_path(path, &clean))
        return;
    buf_init(&script, SCRIPT_MAX);
    set_variable(&script, "p", clean);
    buf_add_string(&script, "p=./$p\n"); /* so that a leading minus is no option */
    buf_addf(&script, "n=%d; e=%d\n", WITNESS_INSIDE_MAX, want & WANT_ENTRIES ? 1 : 0);
    struct bytes output = run_script(w, &script, look_text, a, &mark);
    witness_read_lines(output, bytes_of_string(mark), a, v);
    buf_release(&script);
}

/* find's -name takes a pattern. */
static struct bytes as_pattern(struct bytes name, struct arena *a)
{
    struct buf pattern;
    buf_init(&pattern, 2 * name.len + 1);
    for (size_t i = 0; i < name.len; i++) {
        if (strchr("*?[]\\", name.data[i]))
            buf_add_byte(&pattern, '\\');
        buf_add_byte(&pattern, name.data[i]);
    }
    struct bytes kept = arena_copy(a, buf_bytes(&pattern));
    buf_release(&pattern);
    return kept;
}

struct bytes witness_find_inside(struct witness_source *w, struct bytes name, struct bytes content,
                                 struct arena *a)
{
    struct buf script;
    char hash[65], *mark;
    struct bytes key, value, found = BYTES_NONE;
    if (!w->inside || !name.len || memchr(name.data, 0, name.len))
        return found;
    sha256_hex(content, hash);
    buf_init(&script, SCRIPT_MAX);
    set_variable(&script, "x", as_pattern(name, a));
    buf_addf(&script, "h=%s\nn=%zu\n", hash, content.len);
    struct bytes output = run_script(w, &script, find_text, a, &mark);
    struct lines lines = {.text = output, .mark = bytes_of_string(mark)};
    while (!found.len && next_line(&lines, &key, &value))
        if (bytes_equal_string(key, "found"))
            decoded(value, a, &found);
    buf_release(&script);
    return found;
}
