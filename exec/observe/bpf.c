/* bpf() by its number: one call with many forms. */
#include "exec/observe/bpf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static int ask(int command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

/* Before Linux 5.11 maps were counted against this limit. */
static void allow_memory(void)
{
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

int bpf_map_new(const struct bpf_shape *shape)
{
    union bpf_attr attr;
    for (int round = 0; round < 2; round++) {
        memset(&attr, 0, sizeof attr);
        attr.map_type = shape->type;
        attr.key_size = shape->key;
        attr.value_size = shape->value;
        attr.max_entries = shape->entries;
        attr.map_flags = shape->flags;
        int fd = ask(BPF_MAP_CREATE, &attr);
        if (fd >= 0 || errno != EPERM || round)
            return fd;
        allow_memory();
    }
    return -1;
}

bool bpf_map_set(int map, const void *key, const void *value)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.map_fd = (uint32_t)map;
    attr.key = address(key);
    attr.value = address(value);
    attr.flags = BPF_ANY;
    return ask(BPF_MAP_UPDATE_ELEM, &attr) == 0;
}

void bpf_map_drop(int map, const void *key)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.map_fd = (uint32_t)map;
    attr.key = address(key);
    ask(BPF_MAP_DELETE_ELEM, &attr);
}

/* ENOENT comes with the last part, and counts what is in it. */
size_t bpf_map_read(int map, void *keys, void *values, uint32_t max)
{
    union bpf_attr attr;
    uint32_t mark = 0;
    memset(&attr, 0, sizeof attr);
    attr.batch.map_fd = (uint32_t)map;
    attr.batch.out_batch = address(&mark);
    attr.batch.keys = address(keys);
    attr.batch.values = address(values);
    attr.batch.count = max;
    int status = ask(BPF_MAP_LOOKUP_BATCH, &attr);
    return status == 0 || errno == ENOENT ? attr.batch.count : 0;
}

int bpf_program_new(const struct bpf_insn *code, size_t count, char *why, size_t size)
{
    enum { LOG = 1 << 20 };
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attr.insns = address(code);
    attr.insn_cnt = (uint32_t)count;
    attr.license = address("Dual MIT/GPL");
    int fd = ask(BPF_PROG_LOAD, &attr);
    int error = errno;
    if (fd >= 0)
        return fd;
    snprintf(why, size, "%s", strerror(error));
    if (error == EPERM)
        return -1;
    char *log = xcalloc(1, LOG);
    attr.log_buf = address(log);
    attr.log_size = LOG;
    attr.log_level = 1;
    fd = ask(BPF_PROG_LOAD, &attr);
    size_t length = strlen(log);
    if (fd < 0 && length) { /* the last lines say what it did not like */
        const char *tail = length < size ? log : log + length - (size - 1);
        snprintf(why, size, "%s", tail);
    }
    free(log);
    errno = error;
    return fd;
}

int bpf_program_attach(int program, const char *tracepoint)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.raw_tracepoint.name = address(tracepoint);
    attr.raw_tracepoint.prog_fd = (uint32_t)program;
    return ask(BPF_RAW_TRACEPOINT_OPEN, &attr);
}
