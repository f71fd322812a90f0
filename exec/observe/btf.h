/* Where the members of the kernel's own structures lie, as the running kernel describes them (BTF). */
#ifndef EXEC_OBSERVE_BTF_H
#define EXEC_OBSERVE_BTF_H

#include "base/bytes.h"

#define BTF_KERNEL "/sys/kernel/btf/vmlinux"

/* Offset in bytes of a member, also of one in an anonymous part of the structure. -1: there is none, or `data` is no BTF. */
long btf_member(struct bytes data, const char *structure, const char *member);

#endif
