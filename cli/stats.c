/* --stats and --series; see stats.h. */
#include "cli/stats.h"

#include "base/fs.h"
#include "base/redact.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MAX = 4096, TEXT_MAX = 16 << 20 };

static int output_fault(const char *path, struct error **err)
{
    return error_set(err, ERR_OUTPUT, "%s: %s", path, strerror(errno));
}

/* All of it, or none: what a full disk takes half of is taken back. */
static int append(const struct stats *s, struct bytes text, struct error **err)
{
    off_t before = lseek(s->series_fd, 0, SEEK_END);
    ssize_t written = write(s->series_fd, text.data, text.len);
    if (written == (ssize_t)text.len)
        return 0;
    int why = written < 0 ? errno : ENOSPC;
    if (written > 0 && before >= 0 && ftruncate(s->series_fd, before) < 0)
        why = errno;
    errno = why;
    return output_fault(s->series, err);
}

/* Where the last whole line ends: behind it may be what a power cut left of one. */
static off_t end_of_lines(int fd, off_t size)
{
    char byte;
    while (size > 0 && pread(fd, &byte, 1, size - 1) == 1 && byte != '\n')
        size--;
    return size;
}

/* The file goes on if it is one of ours; a header is written into an empty one. */
static int begin_series(struct stats *s, struct error **err)
{
    struct stat is;
    char found[HEADER_MAX];
    if (fstat(s->series_fd, &is) < 0)
        return output_fault(s->series, err);
    off_t size = S_ISREG(is.st_mode) ? end_of_lines(s->series_fd, is.st_size) : 0;
    struct buf header;
    buf_init(&header, HEADER_MAX);
    figures_series_header(&header);
    int status = 0;
    if (S_ISREG(is.st_mode) && size < is.st_size && ftruncate(s->series_fd, size) < 0)
        status = output_fault(s->series, err);
    else if (!size)
        status = append(s, buf_bytes(&header), err);
    else if (pread(s->series_fd, found, header.len, 0) != (ssize_t)header.len || memcmp(found, header.data, header.len) != 0)
        status = error_set(err, ERR_INPUT, "%s: found a file with other columns, expected those of this taskgen, or none", s->series);
    buf_release(&header);
    return status;
}

int stats_open(struct stats *s, const char *file, const char *series, int64_t interval_ms, struct error **err)
{
    *s = (struct stats){.file = file, .series = series, .series_fd = -1, .interval_ms = interval_ms};
    if (!series)
        return 0;
    s->series_fd = open(series, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (s->series_fd < 0)
        return output_fault(series, err);
    return begin_series(s, err);
}

bool stats_due(const struct stats *s, int64_t elapsed_ms)
{
    return (s->file || s->series) && elapsed_ms >= s->next_ms;
}

static int write_file(const struct stats *s, const struct figures *f, struct error **err)
{
    struct buf text, clean;
    buf_init(&text, TEXT_MAX);
    buf_init(&clean, TEXT_MAX);
    figures_stats(f, &text);
    redact_into(cli_secrets(), buf_bytes(&text), NULL, REDACT_WHOLE, &clean);
    int status = fs_write(s->file, buf_bytes(&clean), err);
    buf_release(&text);
    buf_release(&clean);
    return status;
}

static int write_row(const struct stats *s, const struct figures *f, struct error **err)
{
    struct buf row;
    buf_init(&row, HEADER_MAX);
    figures_series_row(f, &row);
    int status = append(s, buf_bytes(&row), err);
    buf_release(&row);
    return status;
}

int stats_write(struct stats *s, const struct figures *f, struct error **err)
{
    s->next_ms = f->elapsed_ms + s->interval_ms;
    if (s->file)
        TRY(write_file(s, f, err));
    return s->series ? write_row(s, f, err) : 0;
}

void stats_close(struct stats *s)
{
    if (s->series_fd >= 0)
        close(s->series_fd);
    s->series_fd = -1;
}
