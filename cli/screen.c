/* Drawing in place; see screen.h. After a change of the size the old lines may be wrapped by the terminal or cut, as it likes; what is
 * taken away is never more than was drawn, so that nothing that scrolled by is lost. */
#include "cli/screen.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static atomic_int *hurry_up;
static atomic_int went_on; /* the shell has written below the lines meanwhile: they are not ours any more */

static void on_resize(int number)
{
    (void)number;
    *hurry_up = 1;
}

static void on_continue(int number)
{
    (void)number;
    went_on = 1;
    *hurry_up = 1;
}

static bool can_draw(int fd)
{
    const char *kind = getenv("TERM");
    return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

void screen_init(struct screen *s, int fd, atomic_int *hurry)
{
    *s = (struct screen){.fd = fd, .on = can_draw(fd)};
    if (!s->on)
        return;
    hurry_up = hurry;
    struct sigaction action = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, NULL);
    action.sa_handler = on_continue;
    sigaction(SIGCONT, &action, NULL);
}

void screen_release(struct screen *s)
{
    if (!s->on)
        return;
    signal(SIGWINCH, SIG_DFL);
    signal(SIGCONT, SIG_DFL);
    hurry_up = NULL;
    s->on = false;
}

void screen_size(const struct screen *s, unsigned *columns, unsigned *rows)
{
    struct winsize size = {0};
    bool known = ioctl(s->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    *columns = known ? size.ws_col : 80;
    *rows = known ? size.ws_row : 24;
}

/* In the background the terminal is somebody else's. */
static bool in_front(const struct screen *s)
{
    pid_t group = tcgetpgrp(s->fd);
    return group < 0 || group == getpgrp();
}

/* Somebody who has stopped the output (^S) to read does not mean to stop the campaign. */
static bool takes_more(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, 0) == 1 && p.revents & POLLOUT;
}

static void write_all(int fd, struct bytes text)
{
    while (text.len) {
        ssize_t written = write(fd, text.data, text.len);
        if (written <= 0)
            return; /* a terminal that went away: SIGHUP tells */
        text = bytes_slice(text, (size_t)written, text.len);
    }
}

static void add_wipe(struct screen *s, struct buf *out)
{
    if (atomic_exchange(&went_on, 0))
        s->drawn = 0;
    if (s->drawn)
        buf_addf(out, "\r\033[%uA\033[J", s->drawn);
    s->drawn = 0;
}

void screen_show(struct screen *s, struct bytes lines, unsigned count)
{
    if (!s->on || !in_front(s) || !takes_more(s->fd))
        return;
    struct buf out;
    buf_init(&out, 1 << 20);
    add_wipe(s, &out);
    buf_add(&out, lines);
    write_all(s->fd, buf_bytes(&out)); /* at once: a terminal in the middle of it flickers */
    s->drawn = count;
    buf_release(&out);
}

void screen_hide(struct screen *s)
{
    if (!s->on || !in_front(s))
        return;
    struct buf out;
    buf_init(&out, 256);
    add_wipe(s, &out);
    write_all(s->fd, buf_bytes(&out));
    buf_release(&out);
}
