/* What there was more of at the end of a task than at its begin: descriptors by kind, processes, sockets that listen, kills, refusals and
 * delays of a control group, memory, CPU time, bytes read and written. Figures that a machine does not give are 0 and say nothing. */
#include "exec/oracle/features/features.h"

/* Less than that is the machine's own breathing. */
static const uint64_t much = UINT64_C(64) << 20, much_cpu_us = 1000000, much_io = UINT64_C(16) << 20;

/* `step`: bits that make one more. */
static void add(struct features *f, uint64_t which, const char *what, uint64_t before, uint64_t after, uint64_t least, unsigned step)
{
    uint64_t growth = after > before ? after - before : 0, power = 0;
    if (growth < least)
        return;
    for (uint64_t left = growth; left; left >>= step)
        power++;
    if (feature_add(f, hash64_mix(which, power)))
        feature_say(f, "%s: %llu more", what, (unsigned long long)growth);
}

void feature_find_resources(struct features *f, const struct execution *e)
{
    const struct snapshot *a = &e->at_start, *z = &e->at_end;
    if (!a->made || !z->made)
        return;
    for (uint64_t kind = 0; a->have_descriptors && z->have_descriptors && kind < DESCRIPTOR_KINDS; kind++)
        add(f, kind, descriptor_kind_name((enum descriptor_kind)kind), a->descriptors[kind], z->descriptors[kind], 1, 1);
    add(f, 20, "processes", a->processes, z->processes, 1, 1);
    add(f, 21, "zombies", a->zombies, z->zombies, 1, 1);
    add(f, 22, "listening sockets", a->listener_count, z->listener_count, 1, 1);
    add(f, 23, "kills for memory", a->oom_kills, z->oom_kills, 1, 63);
    add(f, 24, "refused processes", a->process_refusals, z->process_refusals, 1, 63);
    add(f, 25, "bytes of resident memory", a->rss, z->rss, much, 2);
    add(f, 26, "bytes of memory at the most", a->memory_peak, z->memory_peak, much, 2);
    add(f, 27, "microseconds of CPU time", a->cpu_us, z->cpu_us, much_cpu_us, 2);
    add(f, 28, "times held back from the CPU", a->throttled, z->throttled, 1, 63);
    add(f, 29, "processes at the most", a->processes_peak, z->processes_peak, 1, 1);
    add(f, 30, "bytes read and written", a->io_bytes, z->io_bytes, much_io, 2);
}
