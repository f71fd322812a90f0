/* Walking a path inside the root; see root.h.
 *
 * State of a walk: `dir` is open and real (reached without links), `real` names it from the root, `rest` is
 * what is still to be walked. A link's text is put in front of the rest. ".." drops the last name of `real`
 * and walks the remainder again from the root: the kernel's own ".." could leave the root when a directory is
 * moved meanwhile. */
#include "leakybox/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "leakybox/faults.h"
#include "leakybox/text.h"

enum {
    MAX_LINKS = 40,           /* as the kernel */
    REST_MAX = 64 * PATH_MAX, /* what is left to walk, links' texts included */
    PLACE_FOUND = 1           /* of a step: the walk is at its end */
};

struct walk {
    const struct root *root;
    unsigned flags;
    int dir;
    struct buf real;
    struct buf rest;
    unsigned links;
    struct buf *why;
};

int root_open(struct root *r, const char *path)
{
    char *here = NULL;

    r->given = NULL;
    r->real = NULL;
    r->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (r->fd < 0)
        return -1;
    r->real = realpath(path, NULL);
    if (r->real && path[0] == '/') {
        r->given = xstrdup(path);
    } else if (r->real && (here = getcwd(NULL, 0))) {
        struct buf full;

        buf_init(&full, PATH_MAX * 2);
        buf_addf(&full, "%s/%s", strcmp(here, "/") ? here : "", path);
        r->given = xstrdup(buf_string(&full));
        buf_release(&full);
    }
    free(here);
    if (!r->given) {
        root_release(r);
        return -1;
    }
    for (size_t n = strlen(r->given); n > 1 && r->given[n - 1] == '/'; n--)
        r->given[n - 1] = '\0';
    return 0;
}

void root_release(struct root *r)
{
    int saved = errno;

    if (r->fd >= 0)
        close(r->fd);
    free(r->given);
    free(r->real);
    *r = (struct root){.fd = -1};
    errno = saved;
}

static void set_name(char name[NAME_MAX + 1], struct bytes from)
{
    memcpy(name, from.data, from.len);
    name[from.len] = '\0';
}

/* "a/b/c" gives "a/b" and "c"; "c" gives "" and "c". */
static void split_last(struct bytes path, struct bytes *parent, struct bytes *last)
{
    size_t cut = path.len;

    while (cut && path.data[cut - 1] != '/')
        cut--;
    *last = bytes_slice(path, cut, path.len);
    *parent = bytes_slice(path, 0, cut ? cut - 1 : 0);
}

/* "/root/a" below "/root" gives "a"; false when the path is not at or below `base`. */
static bool strip_base(struct bytes path, const char *base, struct bytes *below)
{
    struct bytes b = bytes_of_string(base);

    if (b.len == 1) /* the root is "/" itself */
        b.len = 0;
    if (!bytes_starts(path, b) || (path.len > b.len && path.data[b.len] != '/'))
        return false;
    *below = bytes_slice(path, b.len, path.len);
    return true;
}

static enum place_result outside(struct walk *w, struct bytes path)
{
    text_quote(w->why, path);
    buf_add_string(w->why, " leads outside the root");
    return PLACE_OUTSIDE;
}

static enum place_result failed(struct walk *w, struct bytes name, int number)
{
    struct buf full;

    buf_init(&full, 2 * PATH_MAX);
    buf_add(&full, buf_bytes(&w->real));
    if (w->real.len && name.len)
        buf_add_byte(&full, '/');
    buf_add(&full, name);
    text_quote(w->why, buf_bytes(&full));
    buf_add_string(w->why, ": ");
    text_errno(w->why, number);
    buf_release(&full);
    return PLACE_FAILED;
}

/* Puts an absolute path's part below the root in front; it must lie there. */
static enum place_result enter_absolute(struct walk *w, struct bytes path)
{
    struct bytes below;
    int top;

    if (!strip_base(path, w->root->real, &below) && !strip_base(path, w->root->given, &below))
        return outside(w, path);
    top = fcntl(w->root->fd, F_DUPFD_CLOEXEC, 3);
    if (top < 0)
        return failed(w, BYTES_NONE, errno);
    if (w->dir >= 0)
        close(w->dir);
    w->dir = top;
    buf_clear(&w->real);
    buf_add(&w->rest, below);
    return PLACE_OK;
}

static enum place_result enter_start(struct walk *w, struct bytes path)
{
    if (path.len && path.data[0] == '/')
        return enter_absolute(w, path);
    if (path.len && path.data[0] == '~' && (path.len == 1 || path.data[1] == '/')) {
        const char *home = getenv("HOME");
        struct buf full;
        enum place_result result;

        if (!home || home[0] != '/') {
            buf_add_string(w->why, "\"~\" cannot be expanded: HOME is not set");
            return PLACE_FAILED;
        }
        buf_init(&full, 4 * PATH_MAX);
        buf_add_string(&full, home);
        buf_add(&full, bytes_slice(path, 1, path.len));
        result = enter_absolute(w, buf_bytes(&full));
        buf_release(&full);
        return result;
    }
    w->dir = fcntl(w->root->fd, F_DUPFD_CLOEXEC, 3);
    if (w->dir < 0)
        return failed(w, path, errno);
    buf_add(&w->rest, path);
    return PLACE_OK;
}

static enum place_result step_into(struct walk *w, const char *name)
{
    int next = openat(w->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (next < 0)
        return failed(w, bytes_of_string(name), errno);
    close(w->dir);
    w->dir = next;
    if (w->real.len)
        buf_add_byte(&w->real, '/');
    buf_add_string(&w->real, name);
    return PLACE_OK;
}

/* Walks a real path (no links, no dots) from the root. */
static enum place_result walk_real(struct walk *w, struct bytes path)
{
    enum place_result result = PLACE_OK;
    int top = fcntl(w->root->fd, F_DUPFD_CLOEXEC, 3);
    size_t from, to;

    if (top < 0)
        return failed(w, path, errno);
    close(w->dir);
    w->dir = top;
    buf_clear(&w->real);
    for (from = 0; from < path.len && !result; from = to + 1) {
        char name[NAME_MAX + 1];

        for (to = from; to < path.len && path.data[to] != '/'; to++)
            ;
        set_name(name, bytes_slice(path, from, to));
        result = step_into(w, name);
    }
    return result;
}

static enum place_result step_up(struct walk *w, struct bytes whole)
{
    struct bytes parent, last;
    struct buf copy;
    enum place_result result;

    if (!w->real.len)
        return outside(w, whole);
    buf_init(&copy, REST_MAX);
    buf_add(&copy, buf_bytes(&w->real));
    split_last(buf_bytes(&copy), &parent, &last);
    result = walk_real(w, parent);
    buf_release(&copy);
    return result;
}

/* Reads the link `name` and puts its text before the rest. */
static enum place_result step_link(struct walk *w, const char *name)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(w->dir, name, target, sizeof(target));
    struct buf after;
    enum place_result result = PLACE_OK;

    if (n < 0)
        return failed(w, bytes_of_string(name), errno);
    if (++w->links > MAX_LINKS || n == (ssize_t)sizeof(target))
        return failed(w, bytes_of_string(name), ELOOP);
    buf_init(&after, REST_MAX);
    buf_add(&after, buf_bytes(&w->rest));
    buf_clear(&w->rest);
    if (n > 0 && target[0] == '/')
        result = enter_absolute(w, bytes_of(target, (size_t)n));
    else
        buf_add(&w->rest, bytes_of(target, (size_t)n));
    buf_add(&w->rest, buf_bytes(&after));
    buf_release(&after);
    if (!result && w->rest.overflow)
        result = failed(w, bytes_of_string(name), ENAMETOOLONG);
    return result;
}

/* The walk stands in a directory that is itself the place: name it from its parent, so that every place but
 * the root is a name in a directory. */
static int end_here(struct walk *w, struct place *p)
{
    struct bytes parent, last;
    struct buf copy;
    enum place_result result;

    if (!w->real.len) {
        set_name(p->name, BYTES_LITERAL("."));
        p->is_root = p->exists = true;
        return fstat(w->dir, &p->st) ? failed(w, BYTES_NONE, errno) : PLACE_FOUND;
    }
    buf_init(&copy, REST_MAX);
    buf_add(&copy, buf_bytes(&w->real));
    split_last(buf_bytes(&copy), &parent, &last);
    set_name(p->name, last);
    p->exists = true;
    result = walk_real(w, parent);
    buf_release(&copy);
    if (result)
        return result;
    return fstatat(w->dir, p->name, &p->st, AT_SYMLINK_NOFOLLOW) ? failed(w, bytes_of_string(p->name), errno)
                                                                 : PLACE_FOUND;
}

static int found(struct place *p, const char *name, const struct stat *st, bool slash)
{
    set_name(p->name, bytes_of_string(name));
    p->exists = st != NULL;
    p->slash = slash;
    if (st)
        p->st = *st;
    return PLACE_FOUND;
}

/* Takes a name that is not there, which may be so at the end, or on the way to what is to be made. */
static int step_missing(struct walk *w, struct place *p, const char *name, bool more, bool slash)
{
    if (!more)
        return found(p, name, NULL, slash);
    if (!(w->flags & PLACE_MAKE_PARENTS))
        return failed(w, bytes_of_string(name), ENOENT);
    if (mkdirat(w->dir, name, 0777) == 0)
        faults_made(&(struct fault_made){w->dir, name});
    else if (errno != EEXIST)
        return failed(w, bytes_of_string(name), errno);
    return step_into(w, name);
}

/* Takes one name. `more`: something but slashes follows it; `slash`: at least a slash does. */
static int step_name(struct walk *w, struct place *p, const char *name, bool more, bool slash)
{
    struct stat st;

    if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? step_missing(w, p, name, more, slash)
                               : failed(w, bytes_of_string(name), errno);
    if (S_ISLNK(st.st_mode) && (more || slash || (w->flags & PLACE_FOLLOW)))
        return step_link(w, name);
    if ((more || slash) && !S_ISDIR(st.st_mode))
        return failed(w, bytes_of_string(name), ENOTDIR);
    return more ? step_into(w, name) : found(p, name, &st, slash);
}

/* Takes the first component off the rest. PLACE_OK: walk on. */
static int step(struct walk *w, struct place *p, struct bytes whole)
{
    struct bytes rest = buf_bytes(&w->rest);
    size_t from = 0, to, next;
    char name[NAME_MAX + 1];
    bool more, slash;

    while (from < rest.len && rest.data[from] == '/')
        from++;
    if (from == rest.len)
        return end_here(w, p);
    for (to = from; to < rest.len && rest.data[to] != '/'; to++)
        ;
    for (next = to; next < rest.len && rest.data[next] == '/'; next++)
        ;
    if (to - from > NAME_MAX)
        return failed(w, bytes_slice(rest, from, to), ENAMETOOLONG);
    set_name(name, bytes_slice(rest, from, to));
    more = next < rest.len;
    slash = next > to;
    buf_drop_front(&w->rest, to);
    if (!strcmp(name, "."))
        return PLACE_OK;
    if (!strcmp(name, ".."))
        return step_up(w, whole);
    return step_name(w, p, name, more, slash);
}

enum place_result place_find(const struct root *r, struct bytes path, unsigned flags, struct place *p,
                             struct buf *why)
{
    struct walk w = {.root = r, .flags = flags, .dir = -1, .why = why};
    int result;

    *p = (struct place){.dir = -1};
    if (path.len >= PATH_MAX) {
        buf_addf(why, "the path has %zu bytes, more than the %d that a path may have", path.len,
                 PATH_MAX - 1);
        return PLACE_FAILED;
    }
    if (!path.len) {
        buf_add_string(why, "the path is empty");
        return PLACE_FAILED;
    }
    buf_init(&w.real, REST_MAX);
    buf_init(&w.rest, REST_MAX);
    result = enter_start(&w, path);
    while (result == PLACE_OK)
        result = step(&w, p, path);
    buf_release(&w.rest);
    if (result < 0) {
        if (w.dir >= 0)
            close(w.dir);
        buf_release(&w.real);
        return (enum place_result)result;
    }
    p->dir = w.dir;
    p->relative = w.real;
    if (!p->is_root) {
        if (p->relative.len)
            buf_add_byte(&p->relative, '/');
        buf_add_string(&p->relative, p->name);
    }
    return PLACE_OK;
}

enum place_result place_find_anywhere(const struct root *r, struct bytes path, struct place *p,
                                      struct buf *why)
{
    struct buf full;
    struct stat st;
    char *real, *cut;

    *p = (struct place){.dir = -1};
    buf_init(&full, 4 * PATH_MAX);
    if (path.len && path.data[0] != '/')
        buf_addf(&full, "%s/", r->real);
    buf_add(&full, path);
    real = realpath(buf_string(&full), NULL);
    if (!real || !strcmp(real, "/") || lstat(real, &st)) {
        text_quote(why, path);
        buf_add_string(why, ": ");
        text_errno(why, real ? EINVAL : errno);
        free(real);
        buf_release(&full);
        return PLACE_FAILED;
    }
    buf_release(&full);
    cut = strrchr(real, '/');
    *cut = '\0';
    p->dir = open(*real ? real : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    set_name(p->name, bytes_of_string(cut + 1));
    p->exists = true;
    p->st = st;
    buf_init(&p->relative, 4 * PATH_MAX);
    buf_add(&p->relative, path);
    free(real);
    if (p->dir >= 0)
        return PLACE_OK;
    text_errno(why, errno);
    buf_release(&p->relative);
    return PLACE_FAILED;
}

void place_release(struct place *p)
{
    if (p->dir >= 0)
        close(p->dir);
    p->dir = -1;
    buf_release(&p->relative);
}
