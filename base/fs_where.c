/* Where taskgen's own data files and helper programs are: beside the installed binary, or in the tree it was
 * built in.
 *
 * An environment variable decides alone when it is set. Otherwise the installed places come first, so that a
 * copy that was installed below somebody's build tree uses what was installed with it. A build tree is known
 * by its CMakeCache.txt, which names the source tree; no path is compiled in. */
#include "base/fs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_CACHE = 16 << 20 };

static char *join(const char *a, const char *b)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", a, b) < 0)
        BUG("out of memory");
    return path;
}

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* "a/b" when the test holds, else NULL; b may be several names. */
static char *join_if(bool (*test)(const char *), const char *a, const char *b)
{
    char *path = join(a, b);
    if (test(path))
        return path;
    free(path);
    return NULL;
}

/* The directory of the running binary, to be freed, or NULL. The link is read, not followed: a binary that was replaced while it
 * runs (an update during a long campaign) is gone, but its directory is not. */
static char *own_dir(struct error **err)
{
    char exe[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash) {
        *(slash == exe ? slash + 1 : slash) = '\0';
        return xstrdup(exe);
    }
    error_set(err, ERR_TARGET, "cannot find the running binary through /proc/self/exe: %s",
              length < 0 ? strerror(errno) : "it names no file");
    return NULL;
}

/* Cuts the last name off; false at the root. */
static bool go_up(char *dir)
{
    char *slash = strrchr(dir, '/');
    if (!slash || !slash[1])
        return false;
    *(slash == dir ? slash + 1 : slash) = '\0';
    return true;
}

/* The source tree of the build in `dir`, to be freed; NULL when dir is no build tree. */
static char *source_of_build(const char *dir)
{
    static const char entry[] = "\nCMAKE_HOME_DIRECTORY:INTERNAL=";
    char *cache = join(dir, "CMakeCache.txt"), *source = NULL;
    struct buf text;
    buf_init(&text, MAX_CACHE);
    if (is_file(cache) && fs_read(cache, MAX_CACHE, &text, NULL) == 0) {
        const char *found = strstr(buf_string(&text), entry);
        if (found) {
            found += sizeof entry - 1;
            source = strndup(found, strcspn(found, "\r\n"));
        }
    }
    buf_release(&text);
    free(cache);
    return source;
}

/* Looks from `dir` upwards; changes dir. */
static char *find_in_source(char *dir, const char *kind)
{
    do {
        char *list = join_if(is_file, dir, "CMakeLists.txt");
        char *found = list ? join_if(is_dir, dir, kind) : NULL;
        free(list);
        if (found)
            return found;
        char *source = source_of_build(dir);
        found = source ? join_if(is_dir, source, kind) : NULL;
        free(source);
        if (found)
            return found;
    } while (go_up(dir));
    return NULL;
}

static char *find_in_build(char *dir, const char *program)
{
    static const char *const places[] = {"exec/agent", "bench/leakybox"};
    do {
        char *cache = join_if(is_file, dir, "CMakeCache.txt");
        char *found = NULL;
        for (size_t i = 0; cache && !found && i < sizeof places / sizeof *places; i++) {
            char *place = join(dir, places[i]);
            found = join_if(is_program, place, program);
            free(place);
        }
        free(cache);
        if (found)
            return found;
    } while (go_up(dir));
    return NULL;
}

struct search {
    const char *what;      /* for messages */
    const char *variable;  /* decides alone when set */
    const char *installed; /* seen from the binary's directory */
    bool (*test)(const char *path);
    char *(*in_tree)(char *dir, const char *name);
};

static char *find(const struct search *s, const char *name, struct error **err)
{
    const char *given = getenv(s->variable);
    if (given && *given) {
        char *path = join_if(s->test, given, name);
        if (!path)
            error_set(err, ERR_TARGET, "%s '%s' is not in '%s', where %s points", s->what, name, given,
                      s->variable);
        return path;
    }
    char *dir = own_dir(err);
    if (!dir)
        return NULL;
    char *installed = join(dir, s->installed);
    char *path = join_if(s->test, installed, name);
    char *real = path ? realpath(path, NULL) : s->in_tree(dir, name);
    if (!real)
        error_set(err, ERR_TARGET, "%s '%s' is neither in '%s' nor in a build tree; set %s", s->what, name,
                  installed, s->variable);
    free(path);
    free(installed);
    free(dir);
    return real;
}

char *fs_data_dir(const char *kind, struct error **err)
{
    static const struct search data = {"the data directory", "TASKGEN_DATA", "../share/taskgen", is_dir,
                                       find_in_source};
    return find(&data, kind, err);
}

char *fs_helper(const char *program, struct error **err)
{
    static const struct search helper = {"the program", "TASKGEN_LIBEXEC", "../libexec/taskgen", is_program,
                                         find_in_build};
    return find(&helper, program, err);
}
