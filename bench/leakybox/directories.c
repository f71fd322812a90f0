/* The tools about names and directories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/error.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "leakybox/faults.h"
#include "leakybox/rpc.h"
#include "leakybox/text.h"
#include "leakybox/tools.h"

struct entry {
    char *name;
    const char *kind;
};

static const char *kind_word(mode_t mode)
{
    return S_ISREG(mode) ? "file" : S_ISDIR(mode) ? "directory" : S_ISLNK(mode) ? "link" : "other";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* 0 or errno. */
static int read_entries(DIR *dir, struct arena *a, struct entry **list, size_t *count)
{
    size_t capacity = 0;
    struct dirent *d;

    *list = NULL;
    *count = 0;
    for (errno = 0; (d = readdir(dir)); errno = 0) {
        struct stat st;

        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
            continue;
        if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue; /* it was deleted meanwhile */
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            *list = xrealloc(*list, capacity * sizeof(**list));
        }
        (*list)[*count].name = arena_string(a, bytes_of_string(d->d_name));
        (*list)[(*count)++].kind = kind_word(st.st_mode);
    }
    if (errno)
        return errno;
    if (*count)
        qsort(*list, *count, sizeof(**list), by_name);
    return 0;
}

static void set_name(struct arena *a, struct json *entry, struct bytes name)
{
    struct fault_entry event = {.arena = a, .name = name};
    struct buf text;

    faults_entry(&event);
    name = event.name;
    if (utf8_valid(name)) {
        json_set(a, entry, "name", json_string(a, name));
        return;
    }
    buf_init(&text, 1024);
    base64_encode(&text, name);
    json_set(a, entry, "name_base64", json_string(a, buf_bytes(&text)));
    buf_release(&text);
}

static void answer_entries(struct call *c, const struct entry *list, size_t count)
{
    struct arena *a = c->arena;
    struct json *result = json_new(a, JSON_OBJECT);
    struct json *entries = json_set(a, result, "entries", json_new(a, JSON_ARRAY));

    for (size_t i = 0; i < count; i++) {
        struct json *entry = json_add(entries, json_new(a, JSON_OBJECT));

        set_name(a, entry, bytes_of_string(list[i].name));
        json_set(a, entry, "kind", json_text(a, list[i].kind));
    }
    rpc_structured(c->server, c->id, result, false, NULL);
}

void tool_list_directory(struct call *c)
{
    struct entry *list = NULL;
    size_t count = 0;
    struct place p;
    DIR *dir;
    int fd, number;

    if (!call_place(c, "path", PLACE_FOLLOW, &p))
        return;
    fd = openat(p.dir, p.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    dir = fd < 0 ? NULL : fdopendir(fd);
    number = dir ? read_entries(dir, c->arena, &list, &count) : errno;
    if (number)
        call_failed_errno(c, "list", &p, number);
    else
        answer_entries(c, list, count);
    free(list);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    place_release(&p);
}

void tool_file_info(struct call *c)
{
    struct arena *a = c->arena;
    struct json *result;
    struct place p;

    if (!call_place(c, "path", 0, &p))
        return;
    if (!p.exists) {
        call_failed_errno(c, "look at", &p, ENOENT);
    } else {
        result = json_new(a, JSON_OBJECT);
        json_set(a, result, "kind", json_text(a, kind_word(p.st.st_mode)));
        json_set(a, result, "size", json_integer(a, p.st.st_size));
        json_set(a, result, "mode", json_integer(a, p.st.st_mode & 07777));
        json_set(a, result, "modified_ms",
                 json_integer(a, (int64_t)p.st.st_mtim.tv_sec * 1000 + p.st.st_mtim.tv_nsec / 1000000));
        rpc_structured(c->server, c->id, result, false, NULL);
    }
    place_release(&p);
}

/* 0 or errno: may a name be made there? */
static int may_make(const struct call *c, const struct place *p)
{
    struct fault_make event = {.root = &c->server->root, .place = p};

    faults_make(&event);
    return event.refused;
}

/* 0 or errno. */
static int make(const struct call *c, const struct place *p)
{
    int number = may_make(c, p);

    if (number)
        return number;
    if (mkdirat(p->dir, p->name, 0777))
        return errno;
    faults_made(&(struct fault_made){p->dir, p->name});
    return 0;
}

void tool_make_directory(struct call *c)
{
    struct place p;
    int number;

    if (!call_place(c, "path", PLACE_FOLLOW | PLACE_MAKE_PARENTS, &p))
        return;
    if (p.exists && S_ISDIR(p.st.st_mode))
        call_textf(c, "the directory exists already");
    else if (p.exists)
        call_failed_errno(c, "make", &p, EEXIST);
    else if ((number = make(c, &p)))
        call_failed_errno(c, "make", &p, number);
    else
        call_textf(c, "made the directory");
    place_release(&p);
}

/* Renames without replacing: 0 or errno. */
static int rename_new(const struct place *from, const struct place *to)
{
    if (renameat2(from->dir, from->name, to->dir, to->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    /* A file system without the flag; `to` was not there a moment ago. EINVAL also says "into itself", and
     * says it again. */
    return renameat(from->dir, from->name, to->dir, to->name) ? errno : 0;
}

void tool_move_file(struct call *c)
{
    struct place from, to;
    int number;

    if (!call_place(c, "source", 0, &from))
        return;
    if (call_place(c, "destination", 0, &to)) {
        if (!from.exists) {
            call_failed_errno(c, "move", &from, ENOENT);
        } else if (from.is_root) {
            call_failed(c, "cannot move the root");
        } else if (to.exists) {
            call_failed_errno(c, "move to", &to, EEXIST);
        } else if (to.slash && !S_ISDIR(from.st.st_mode)) {
            call_failed_errno(c, "move to", &to, ENOTDIR);
        } else if ((number = may_make(c, &to))) {
            call_failed_errno(c, "move to", &to, number);
        } else if ((number = rename_new(&from, &to))) {
            call_failed_errno(c, "move", &from, number);
        } else {
            call_textf(c, "moved");
        }
        place_release(&to);
    }
    place_release(&from);
}

/* A tree is removed through the open directory that holds it, so that no link on the way there can be swapped
 * in. */
static void delete_tree(struct call *c, const struct place *p)
{
    struct error *err = NULL;
    char path[64 + NAME_MAX];

    snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", p->dir, p->name);
    if (fs_remove_tree(path, &err) < 0) {
        const char *reason = strrchr(err->text, ':');
        struct buf name;

        buf_init(&name, 1024);
        text_quote(&name, buf_bytes(&p->relative));
        call_failed(c, "cannot delete all of %s%s", buf_string(&name), reason ? reason : "");
        buf_release(&name);
    } else {
        call_textf(c, "deleted the directory");
    }
    error_free(err);
}

void tool_delete_file(struct call *c)
{
    bool recursive = json_is(json_get(c->args, "recursive"), JSON_TRUE), directory;
    struct fault_remove event = {0};
    struct place p;

    if (!call_place(c, "path", 0, &p))
        return;
    directory = p.exists && S_ISDIR(p.st.st_mode);
    event.place = &p;
    if (p.exists)
        faults_remove(&event);
    if (event.skipped)
        call_textf(c, directory ? "deleted the directory" : "deleted");
    else if (!p.exists)
        call_failed_errno(c, "delete", &p, ENOENT);
    else if (p.is_root)
        call_failed(c, "cannot delete the root");
    else if (directory && recursive)
        delete_tree(c, &p);
    else if (unlinkat(p.dir, p.name, directory ? AT_REMOVEDIR : 0))
        call_failed_errno(c, "delete", &p, errno);
    else
        call_textf(c, directory ? "deleted the directory" : "deleted");
    place_release(&p);
}
