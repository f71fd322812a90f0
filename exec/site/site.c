/* The site and its life; see site.h. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/site/site_internal.h"

enum {
    VISITS = 4096,
    CONNECTIONS = 1024
};

int64_t web_site_now(const struct web_site *s)
{
    return (clock_monotonic_ns() - s->start_ns) / 1000000;
}

struct web_site *web_site_new(const struct web_site_options *options)
{
    struct web_site *s = xcalloc(1, sizeof *s);
    if (options)
        s->options = *options;
    if (!s->options.visits)
        s->options.visits = VISITS;
    if (!s->options.connections)
        s->options.connections = CONNECTIONS;
    s->entries = xcalloc(s->options.visits, sizeof *s->entries);
    s->start_ns = clock_monotonic_ns();
    atomic_init(&s->step, -1);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void web_site_free(struct web_site *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < WEB_DOORS_MAX; i++)
        web_door_close(s->doors[i]);
    web_record_clear(s);
    pthread_mutex_destroy(&s->lock);
    free(s->entries);
    free(s);
}
