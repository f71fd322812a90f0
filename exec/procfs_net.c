/* What listens: the tables of a network namespace as /proc/PID/net shows them. */
#include "exec/procfs.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

enum { TABLE_MAX = 4 << 20, TCP_LISTEN = 0x0A, UNIX_LISTENS = 0x10000 };

struct listeners {
    struct arena *a;
    struct listener *items;
    size_t count, max;
};

static void add(struct listeners *l, const char *family, struct bytes where, uint64_t inode)
{
    if (l->count < l->max)
        l->items[l->count++] = (struct listener){family, where, inode};
}

/* "0100007F:1F90": words of 32 bits as the machine has them in memory, then the port. False when it is none. */
static bool read_address(const char *text, bool six, char *out, size_t size)
{
    uint32_t words[4];
    size_t count = six ? 4 : 1;
    char shown[INET6_ADDRSTRLEN];
    for (size_t i = 0; i < count; i++)
        if (sscanf(text + 8 * i, "%8x", &words[i]) != 1)
            return false;
    unsigned port;
    if (sscanf(text + 8 * count, ":%4x", &port) != 1 || !inet_ntop(six ? AF_INET6 : AF_INET, words, shown, sizeof shown))
        return false;
    snprintf(out, size, six ? "[%s]:%u" : "%s:%u", shown, port);
    return true;
}

static void tcp_line(struct listeners *l, const char *family, const char *line)
{
    char local[64], where[128];
    unsigned state;
    unsigned long long inode;
    bool six = strcmp(family, "tcp6") == 0;
    if (sscanf(line, " %*d: %63s %*s %x %*s %*s %*s %*s %*s %llu", local, &state, &inode) == 3 && state == TCP_LISTEN &&
        read_address(local, six, where, sizeof where))
        add(l, family, bytes_of_string(arena_string(l->a, bytes_of_string(where))), inode);
}

/* The path is the rest of the line, blanks and all. */
static void unix_line(struct listeners *l, const char *family, const char *line)
{
    unsigned flags;
    unsigned long long inode;
    int end = 0;
    if (sscanf(line, "%*x: %*x %*x %x %*x %*x %llu%n", &flags, &inode, &end) == 2 && end && (flags & UNIX_LISTENS)) {
        const char *path = line + end + strspn(line + end, " ");
        add(l, family, bytes_of_string(arena_string(l->a, bytes_of_string(path))), inode);
    }
}

static void read_table(struct listeners *l, const char *proc, int pid, const char *family,
                       void (*each)(struct listeners *l, const char *family, const char *line))
{
    char path[512];
    struct buf text;
    buf_init(&text, TABLE_MAX);
    snprintf(path, sizeof path, "%s/%d/net/%s", proc, pid, family);
    if (fs_read(path, TABLE_MAX, &text, NULL) == 0 && buf_add_byte(&text, '\0') == 0) {
        char *at = (char *)text.data;
        strsep(&at, "\n"); /* the heading */
        for (char *line; (line = strsep(&at, "\n"));)
            each(l, family, line);
    }
    buf_release(&text);
}

size_t proc_listeners(const char *proc, int pid, struct arena *a, size_t max, struct listener **out)
{
    struct listeners l = {.a = a, .items = arena_alloc(a, (max + 1) * sizeof *l.items), .max = max};
    read_table(&l, proc, pid, "tcp", tcp_line);
    read_table(&l, proc, pid, "tcp6", tcp_line);
    read_table(&l, proc, pid, "unix", unix_line);
    *out = l.items;
    return l.count;
}
