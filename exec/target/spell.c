/* Placeholders and path spellings: how the same file is named in different ways.
 *
 *   relative   a/b                        as the task has it
 *   absolute   ROOT/a/b; of ../c/d, which leads out of the root, the plain path of what stands there
 *   tilde      ~/../root/a/b              from the home directory, which the target has to put in
 *   dotted     ROOT/../root/./a/b         up, down and in place
 *   link       ROOT/.taskgen-link/a/b     through a symbolic link to "." in the root, made when first asked
 * for
 *
 * A path that is absolute already, which a mutation may have made of it, stays as it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/target/root.h"
#include "exec/target/session_internal.h"
#include "exec/target/tripwire.h"
#include "exec/target/whereabouts.h"

#define LINK_NAME ".taskgen-link"

static const char *root_of(const struct session *s)
{
    return s->root_inside ? s->root_inside : s->root;
}

static struct bytes join(struct arena *a, const char *front, struct bytes path)
{
    size_t length = strlen(front);
    uint8_t *text = arena_alloc(a, length + path.len + 1);
    memcpy(text, front, length);
    if (path.len)
        memcpy(text + length, path.data, path.len);
    return bytes_of(text, length + path.len);
}

static struct bytes spell_relative(const struct session *s, struct bytes path, struct arena *a)
{
    return path.len ? path : BYTES_LITERAL(".");
}

/* Without the dots, as people write them: targets that compare only how a path begins see another one then. */
static struct bytes spell_absolute(const struct session *s, struct bytes path, struct arena *a)
{
    const char *root = root_of(s);
    size_t length = strlen(root);
    for (; bytes_starts(path, BYTES_LITERAL("../")); path = bytes_slice(path, 3, path.len)) {
        while (length > 0 && root[length - 1] != '/')
            length--;
        length -= length > 0;
    }
    return join(a, arena_printf(a, "%.*s%s", (int)length, root, path.len ? "/" : ""), path);
}

/* The way from the home to the root: up to what they share, then down. */
static struct bytes spell_tilde(const struct session *s, struct bytes path, struct arena *a)
{
    const char *root = root_of(s), *home = s->home;
    size_t shared = 0;
    for (size_t i = 0; root[i] && root[i] == home[i]; i++)
        if (root[i] == '/')
            shared = i;
    struct buf text;
    buf_init(&text, 65536);
    buf_add_string(&text, "~");
    for (const char *at = home + shared; at && *at; at = strchr(at + 1, '/'))
        buf_add_string(&text, "/..");
    buf_addf(&text, "%s%s", root + shared, path.len ? "/" : "");
    struct bytes spelled = join(a, buf_string(&text), path);
    buf_release(&text);
    return spelled;
}

static struct bytes spell_dotted(const struct session *s, struct bytes path, struct arena *a)
{
    const char *root = root_of(s), *name = strrchr(root, '/');
    return join(a, arena_printf(a, "%s/..%s/./", root, name), path);
}

static struct bytes spell_link(const struct session *s, struct bytes path, struct arena *a)
{
    char name[256];
    int dir = s->root_visible ? root_open_parent(s, BYTES_LITERAL(LINK_NAME), name) : -ENOENT;
    bool there = dir >= 0 && (symlinkat(".", dir, name) == 0 || errno == EEXIST);
    if (there && session_owner(s)) /* for what is already there too: it costs nothing */
        there = fchownat(dir, name, session_owner(s), session_owner(s), AT_SYMLINK_NOFOLLOW) == 0;
    if (dir >= 0)
        close(dir);
    return there ? join(a, arena_printf(a, "%s/" LINK_NAME "/", root_of(s)), path)
                 : spell_absolute(s, path, a);
}

static const struct spelling {
    const char *name;
    struct bytes (*spell)(const struct session *s, struct bytes path, struct arena *a);
} spellings[] = {
    {"relative", spell_relative}, {"absolute", spell_absolute}, {"tilde", spell_tilde},
    {"dotted", spell_dotted},     {"link", spell_link},
};

struct bytes session_spell(const struct session *s, struct bytes path, const char *as, struct arena *a)
{
    if (path.len && path.data[0] == '/')
        return path;
    for (size_t i = 0; as && i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(spellings[i].name, as) == 0)
            return spellings[i].spell(s, path, a);
    return spell_absolute(s, path, a);
}

/* --- placeholders --- */

/* The value of the placeholder that `at` begins with, in `value`; its length, or 0. */
static size_t placeholder(const struct session *s, const char *at, char *port, const char **value)
{
    const struct {
        const char *name, *value;
    } all[] = {{"{root}", s->root}, {"{home}", s->home}, {"{port}", port}, {"{db}", s->db}, {TASK_SITE, session_site(s)}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].value && strncmp(at, all[i].name, strlen(all[i].name)) == 0) {
            *value = all[i].value;
            return strlen(all[i].name);
        }
    }
    return 0;
}

char *session_expand(const struct session *s, const char *word)
{
    struct buf text;
    char port[16];
    buf_init(&text, SIZE_MAX / 4);
    snprintf(port, sizeof port, "%u", (unsigned)s->port);
    for (const char *at = word; *at;) {
        const char *value;
        size_t length = *at == '{' ? placeholder(s, at, port, &value) : 0;
        if (length)
            buf_add_string(&text, value);
        else
            buf_add_byte(&text, (uint8_t)*at);
        at += length ? length : 1;
    }
    char *expanded = xstrdup(buf_string(&text));
    buf_release(&text);
    return expanded;
}

char **session_words(const struct session *s)
{
    struct strings list = {0};
    for (size_t i = 0; i < s->target->word_count; i++) {
        char *word = session_expand(s, s->target->words[i]);
        strings_add(&list, word);
        free(word);
    }
    return strings_take(&list);
}

char **session_environment(const struct session *s)
{
    struct strings list = {0};
    const char *path = getenv("PATH");
    strings_addf(&list, "PATH=%s",
                 path && *path ? path : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    strings_addf(&list, "HOME=%s", s->home);
    strings_add_all(&list, (const char *const[]){"LANG=C.UTF-8", "TMPDIR=/tmp", "TERM=dumb", NULL});
    strings_addf(&list, SESSION_MARK "=%s", strrchr(s->base, '/') + 1);
    if (!s->boxed) { /* a /tmp that stays when the session goes is not for it */
        char *scratch = strings_printf("TMPDIR=%s/tmp", s->base);
        strings_set(&list, scratch);
        free(scratch);
    }
    for (const char *const *env = s->target->options.env; env && *env; env++) {
        char *variable = session_expand(s, *env);
        strings_set(&list, variable);
        free(variable);
    }
    for (size_t i = 0; s->start.variables[i]; i++)
        strings_set(&list, s->start.variables[i]);
    if (s->start.canary && s->tripwires) {
        char *canary = strings_printf(START_CANARY "=%s", tripwires_canary(s->tripwires, TRIPWIRE_ENVIRONMENT));
        strings_set(&list, canary);
        free(canary);
    }
    for (size_t i = 0; i < s->watch_env.count; i++)
        strings_set(&list, s->watch_env.items[i]);
    return strings_take(&list);
}

char *session_directory(const struct session *s)
{
    return session_expand(s, s->target->options.cwd ? s->target->options.cwd : "{root}");
}
