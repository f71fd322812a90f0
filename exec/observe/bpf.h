/* The kernel's bpf(), as much of it as the observer of system calls takes. Descriptors are the caller's; -1 with errno where there
 * is none to be had. */
#ifndef EXEC_OBSERVE_BPF_H
#define EXEC_OBSERVE_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_shape {
    enum bpf_map_type type;
    uint32_t key, value, entries; /* sizes in bytes, and how many */
    uint32_t flags;
};
int bpf_map_new(const struct bpf_shape *shape);
bool bpf_map_set(int map, const void *key, const void *value);
void bpf_map_drop(int map, const void *key);
/* All keys of a hash of the shape; how many, at most `max`. Values are written beside. */
size_t bpf_map_read(int map, void *keys, void *values, uint32_t max);
/* A program for a raw tracepoint. The verifier's last words go to `why`. */
int bpf_program_new(const struct bpf_insn *code, size_t count, char *why, size_t size);
int bpf_program_attach(int program, const char *tracepoint); /* as long as the descriptor is open */

#endif
