/* Planting tripwires and looking at them; see tripwire.h.
 *
 * A tripwire's access time is set far back when it is planted. So the first read moves it under relatime too, which most
 * file systems are mounted with. */
#include "exec/target/tripwire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "exec/target/root.h"

#define MARK "canary-"

enum {
    RANDOM_BYTES = 12,
    MARK_SIZE = sizeof MARK + 2 * RANDOM_BYTES,
    CANARY_SIZE = MARK_SIZE + 16,
    TEXT_SIZE = CANARY_SIZE + 128,
    FILE_MODE = 0644,
    DIRECTORY_MODE = 0755,
    LONG_AGO = 86400, /* seconds since 1970 */
    DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

static const struct place {
    bool at_home;          /* else in the base */
    const char *directory; /* made for it; NULL: none */
    const char *file;      /* NULL: only a canary */
} places[TRIPWIRE_PLACES] = {
    [TRIPWIRE_BESIDE] = {false, NULL, "private.txt"},
    [TRIPWIRE_SIBLING] = {false, "root-private", "notes.txt"},
    [TRIPWIRE_HOME] = {true, ".private", "keys.txt"},
    [TRIPWIRE_ENVIRONMENT] = {true, NULL, NULL},
};

struct tripwire {
    int dir; /* that it stands in */
    int watch;
    struct stat planted;
    char canary[CANARY_SIZE];
    char text[TEXT_SIZE];
};

struct tripwires {
    int inotify; /* -1: not to be had */
    bool keeps_times;
    char mark[MARK_SIZE];
    struct tripwire wires[TRIPWIRE_PLACES];
};

static void make_mark(struct tripwires *t)
{
    uint8_t bytes[RANDOM_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        memset(bytes, 0, sizeof bytes);
    memcpy(t->mark, MARK, sizeof MARK);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(t->mark + strlen(MARK) + 2 * i, 3, "%02x", bytes[i]);
}

/* The directory that a tripwire stands in, made when there is one of its own; a descriptor or -1. */
static int make_place(const struct session *s, const struct place *p)
{
    int dir = open(p->at_home ? s->home : s->base, DIR_FLAGS);
    if (dir < 0 || !p->directory)
        return dir;
    bool made = (mkdirat(dir, p->directory, DIRECTORY_MODE) == 0 || errno == EEXIST) && root_give(s, dir, p->directory) == 0;
    int inner = made ? openat(dir, p->directory, DIR_FLAGS) : -1;
    close(dir);
    return inner;
}

static bool plant(const struct session *s, struct tripwires *t, enum tripwire_place place)
{
    enum { WATCHED = IN_OPEN | IN_ACCESS | IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF };
    struct tripwire *w = &t->wires[place];
    const char *file = places[place].file;
    char path[64];
    const char *name = tripwire_place_name(place), *mark = t->mark;
    char canary[CANARY_SIZE], text[TEXT_SIZE];
    snprintf(canary, sizeof canary, "%.*s-%.11s", MARK_SIZE, mark, name);
    snprintf(text, sizeof text, "Nobody who works in the root has any business with this file.\n%s\n", canary);
    memcpy(w->canary, canary, sizeof canary);
    memcpy(w->text, text, sizeof text);
    if (!file)
        return true;
    w->dir = make_place(s, &places[place]);
    if (w->dir < 0 || root_write_at(s, w->dir, file, bytes_of_string(w->text), FILE_MODE) < 0)
        return false;
    const struct timespec times[] = {{.tv_sec = LONG_AGO}, {.tv_nsec = UTIME_OMIT}};
    if (utimensat(w->dir, file, times, 0) < 0 || fstatat(w->dir, file, &w->planted, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", w->dir, file);
    w->watch = t->inotify < 0 ? -1 : inotify_add_watch(t->inotify, path, WATCHED);
    return true;
}

struct tripwires *tripwires_plant(struct session *s)
{
    struct tripwires *t = xcalloc(1, sizeof *t);
    struct statvfs disk;
    t->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    t->keeps_times = statvfs(s->base, &disk) == 0 && !(disk.f_flag & ST_NOATIME);
    make_mark(t);
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        t->wires[i].dir = t->wires[i].watch = -1;
    for (int i = 0; i < TRIPWIRE_PLACES; i++) {
        if (!plant(s, t, (enum tripwire_place)i)) {
            tripwires_free(t);
            return NULL;
        }
    }
    return t;
}

void tripwires_free(struct tripwires *t)
{
    if (!t)
        return;
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        if (t->wires[i].dir >= 0)
            close(t->wires[i].dir);
    if (t->inotify >= 0)
        close(t->inotify);
    free(t);
}

/* What an event says. A link that is made or removed changes attributes too; compare tells what it came to. */
static unsigned touch_of(uint32_t mask)
{
    static const struct {
        uint32_t mask;
        unsigned touch;
    } rows[] = {
        {IN_OPEN, TRIPWIRE_OPENED},
        {IN_ACCESS, TRIPWIRE_READ},
        {IN_MODIFY, TRIPWIRE_WRITTEN},
        {IN_ATTRIB, TRIPWIRE_ATTRIBUTES},
        {IN_DELETE_SELF | IN_MOVE_SELF, TRIPWIRE_GONE},
    };
    unsigned touch = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        touch |= mask & rows[i].mask ? rows[i].touch : 0;
    return touch;
}

bool tripwires_look(struct tripwires *t, unsigned how[TRIPWIRE_PLACES])
{
    _Alignas(struct inotify_event) char events[4096];
    ssize_t n;
    bool any = false;
    memset(how, 0, TRIPWIRE_PLACES * sizeof *how);
    while (t->inotify >= 0 && (n = read(t->inotify, events, sizeof events)) > 0) {
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *event = (const struct inotify_event *)(events + at);
            for (int i = 0; i < TRIPWIRE_PLACES; i++)
                if (event->wd == t->wires[i].watch)
                    how[i] |= touch_of(event->mask);
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        any |= how[i] != 0;
    return any;
}

static bool same_text(const struct tripwire *w, const char *file)
{
    char text[TEXT_SIZE];
    int fd = openat(w->dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return n >= 0 && (size_t)n == strlen(w->text) && memcmp(text, w->text, (size_t)n) == 0;
}

void tripwires_compare(struct tripwires *t, unsigned how[TRIPWIRE_PLACES])
{
    for (int i = 0; i < TRIPWIRE_PLACES; i++) {
        const struct tripwire *w = &t->wires[i];
        const struct stat *then = &w->planted;
        struct stat now;
        how[i] = 0;
        if (!places[i].file)
            continue;
        if (fstatat(w->dir, places[i].file, &now, AT_SYMLINK_NOFOLLOW) < 0 || now.st_ino != then->st_ino ||
            now.st_dev != then->st_dev) {
            how[i] = TRIPWIRE_GONE;
            continue;
        }
        bool moved = now.st_atim.tv_sec != then->st_atim.tv_sec || now.st_atim.tv_nsec != then->st_atim.tv_nsec;
        if (t->keeps_times && moved)
            how[i] |= TRIPWIRE_READ;
        if (now.st_mode != then->st_mode || now.st_uid != then->st_uid || now.st_gid != then->st_gid)
            how[i] |= TRIPWIRE_ATTRIBUTES;
        if (!same_text(w, places[i].file))
            how[i] |= TRIPWIRE_WRITTEN;
    }
}

const char *tripwires_canary(const struct tripwires *t, enum tripwire_place place)
{
    return t->wires[place].canary;
}

const char *tripwires_mark(const struct tripwires *t)
{
    return t->mark;
}

bool tripwires_own(const char *name)
{
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        if (!places[i].at_home && strcmp(name, places[i].directory ? places[i].directory : places[i].file) == 0)
            return true;
    return false;
}
