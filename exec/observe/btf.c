/* A reader of BTF, as much of it as offsets of members take. The text comes from the kernel; whatever does not fit in it ends the
 * search. */
#include "exec/observe/btf.h"

#include <linux/btf.h>
#include <string.h>

enum { DEPTH_MAX = 8, BITS = 8 };

struct btf {
    struct bytes types, strings;
};

static bool open_btf(struct bytes data, struct btf *b)
{
    struct btf_header h;
    if (data.len < sizeof h)
        return false;
    memcpy(&h, data.data, sizeof h);
    if (h.magic != BTF_MAGIC || h.hdr_len > data.len)
        return false;
    struct bytes body = bytes_slice(data, h.hdr_len, data.len);
    b->types = bytes_slice(body, h.type_off, (size_t)h.type_off + h.type_len);
    b->strings = bytes_slice(body, h.str_off, (size_t)h.str_off + h.str_len);
    return b->types.len == h.type_len && b->strings.len == h.str_len;
}

static bool named(const struct btf *b, uint32_t offset, const char *name)
{
    size_t length = strlen(name) + 1;
    return offset < b->strings.len && length <= b->strings.len - offset &&
           memcmp(b->strings.data + offset, name, length) == 0;
}

/* What follows the common head of a type. */
static size_t rest_of(const struct btf_type *t)
{
    size_t count = BTF_INFO_VLEN(t->info);
    switch (BTF_INFO_KIND(t->info)) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG:
        return sizeof(uint32_t);
    case BTF_KIND_ARRAY:
        return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        return count * sizeof(struct btf_member);
    case BTF_KIND_ENUM:
        return count * sizeof(struct btf_enum);
    case BTF_KIND_FUNC_PROTO:
        return count * sizeof(struct btf_param);
    case BTF_KIND_DATASEC:
        return count * sizeof(struct btf_var_secinfo);
    case BTF_KIND_ENUM64:
        return count * sizeof(struct btf_enum64);
    default:
        return 0;
    }
}

/* The structure of this name, or the type of this number (counted from 1). */
static bool find_type(const struct btf *b, const char *name, uint32_t number, struct btf_type *t, struct bytes *rest)
{
    uint32_t current = 1;
    for (size_t at = 0; b->types.len - at >= sizeof *t; current++) {
        memcpy(t, b->types.data + at, sizeof *t);
        at += sizeof *t;
        *rest = bytes_slice(b->types, at, at + rest_of(t));
        if (rest->len != rest_of(t))
            return false;
        if (name ? BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT && named(b, t->name_off, name) : current == number)
            return true;
        at += rest->len;
    }
    return false;
}

static long find_member(const struct btf *b, const struct btf_type *t, struct bytes members, const char *member, int depth)
{
    unsigned kind = BTF_INFO_KIND(t->info);
    if (depth == DEPTH_MAX || (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION))
        return -1;
    for (size_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
        struct btf_member m;
        struct btf_type inner;
        struct bytes rest;
        memcpy(&m, members.data + i * sizeof m, sizeof m);
        uint32_t bits = BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m.offset) : m.offset;
        if (named(b, m.name_off, member))
            return bits / BITS;
        if (!named(b, m.name_off, "") || !find_type(b, NULL, m.type, &inner, &rest))
            continue;
        long within = find_member(b, &inner, rest, member, depth + 1);
        if (within >= 0)
            return bits / BITS + within;
    }
    return -1;
}

long btf_member(struct bytes data, const char *structure, const char *member)
{
    struct btf b;
    struct btf_type t;
    struct bytes members;
    if (!open_btf(data, &b) || !find_type(&b, structure, 0, &t, &members))
        return -1;
    return find_member(&b, &t, members, member, 0);
}
