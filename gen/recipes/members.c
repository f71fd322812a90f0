/* The list, its facts, and the two ways to pack it: stored ZIP entries, and POSIX ustar with pax records
 * where a name is not ASCII or does not fit. Every time is 2020-01-01 00:00 UTC (1980-01-01 in ZIP); owner
 * and group are 0. */
#include "gen/recipes/members.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "gen/recipes/octets.h"
#include "gen/recipes/zip_writer.h"

enum { BLOCK = 512, NAME_MAX_USTAR = 100, PREFIX_MAX = 155, TIME = 1577836800, MEMBERS_FIRST = 16 };

void members_init(struct members *m, struct arena *a)
{
    *m = (struct members){.arena = a};
}

static void add(struct members *m, struct member member)
{
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? m->capacity * 2 : MEMBERS_FIRST;
        struct member *items = arena_alloc(m->arena, capacity * sizeof *items);
        if (m->count)
            memcpy(items, m->items, m->count * sizeof *items);
        m->items = items;
        m->capacity = capacity;
    }
    m->items[m->count++] = member;
}

void members_add(struct members *m, struct bytes name, struct bytes data, unsigned mode)
{
    add(m, (struct member){.name = name, .data = data, .mode = mode});
}

void members_add_text(struct members *m, const char *name, struct buf *text)
{
    members_add(m, arena_copy(m->arena, bytes_of_string(name)), arena_copy(m->arena, buf_bytes(text)), 0644);
    buf_release(text);
}

void members_add_link(struct members *m, struct bytes name, struct bytes target)
{
    add(m, (struct member){.name = name, .target = target, .mode = 0777});
}

void members_zip(const struct members *m, struct buf *out)
{
    struct zip_writer zip;
    zip_begin(&zip, out);
    for (size_t i = 0; i < m->count && !out->overflow; i++)
        if (!m->items[i].target.len)
            zip_add(&zip, m->items[i].name, m->items[i].data, m->items[i].mode);
    zip_end(&zip);
}

/* --- tar --- */

/* `width` bytes: octal digits with zeros in front and a NUL. */
static void put_octal(uint8_t *field, size_t width, uint64_t value)
{
    field[width - 1] = 0;
    for (size_t i = width - 1; i > 0; i--, value /= 8)
        field[i - 1] = (uint8_t)('0' + value % 8);
}

struct ustar_name {
    struct bytes prefix, name;
    bool fits; /* else a pax record has the whole name, and `name` is its end */
};

static struct ustar_name split_name(struct bytes name)
{
    bool ascii = true;
    for (size_t i = 0; i < name.len; i++)
        ascii &= name.data[i] < 0x80;
    if (ascii && name.len <= NAME_MAX_USTAR)
        return (struct ustar_name){.name = name, .fits = true};
    for (size_t i = 1; ascii && i < name.len && i <= PREFIX_MAX; i++)
        if (name.data[i] == '/' && name.len - i - 1 <= NAME_MAX_USTAR && i + 1 < name.len)
            return (struct ustar_name){bytes_slice(name, 0, i), bytes_slice(name, i + 1, name.len), true};
    size_t from = name.len > NAME_MAX_USTAR ? name.len - NAME_MAX_USTAR : 0;
    return (struct ustar_name){.name = bytes_slice(name, from, name.len)};
}

static void put_tar_header(struct buf *out, struct ustar_name name, const struct member *member, char type,
                           uint64_t size)
{
    uint8_t h[BLOCK] = {0};
    unsigned sum = 0;
    memcpy(h, name.name.data, name.name.len);
    put_octal(h + 100, 8, member->mode);
    put_octal(h + 108, 8, 0); /* owner */
    put_octal(h + 116, 8, 0); /* group */
    put_octal(h + 124, 12, size);
    put_octal(h + 136, 12, TIME);
    memset(h + 148, ' ', 8); /* the checksum's own field counts as spaces */
    h[156] = (uint8_t)type;
    if (member->target.len)
        memcpy(h + 157, member->target.data, member->target.len);
    memcpy(h + 257, "ustar\00000", 8);
    if (name.prefix.len)
        memcpy(h + 345, name.prefix.data, name.prefix.len);
    for (size_t i = 0; i < BLOCK; i++)
        sum += h[i];
    put_octal(h + 148, 7, sum); /* six digits, NUL, and the space that is there */
    buf_add(out, bytes_of(h, BLOCK));
}

static void put_tar_data(struct buf *out, struct bytes data)
{
    buf_add(out, data);
    octets_fill(out, 0, (BLOCK - data.len % BLOCK) % BLOCK);
}

/* "LEN path=NAME\n", where LEN counts its own digits as well. */
static void put_pax(struct buf *out, struct bytes name)
{
    size_t body = strlen(" path=\n") + name.len, len = body + 1;
    for (size_t power = 10; len >= power; power *= 10)
        len++; /* one more digit; it may make the next one necessary */
    struct buf record;
    buf_init(&record, out->max);
    buf_addf(&record, "%zu path=", len);
    buf_add(&record, name);
    buf_add_byte(&record, '\n');
    struct member pax = {.mode = 0644};
    put_tar_header(out, (struct ustar_name){.name = BYTES_LITERAL("pax")}, &pax, 'x', record.len);
    put_tar_data(out, buf_bytes(&record));
    buf_release(&record);
}

void members_tar(const struct members *m, struct buf *out)
{
    for (size_t i = 0; i < m->count && !out->overflow; i++) {
        const struct member *member = &m->items[i];
        struct ustar_name name = split_name(member->name);
        if (!name.fits)
            put_pax(out, member->name);
        put_tar_header(out, name, member, member->target.len ? '2' : '0', member->data.len);
        put_tar_data(out, member->data);
    }
    octets_fill(out, 0, 2 * BLOCK);
}

/* --- facts --- */

static struct json *names_fact(const struct members *m, struct arena *a)
{
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < m->count; i++)
        json_add(list, json_string(a, m->items[i].name));
    return list;
}

static struct json *count_fact(const struct members *m, struct bytes name, struct arena *a)
{
    int64_t total = 0, executables = 0;
    for (size_t i = 0; i < m->count; i++) {
        total += (int64_t)m->items[i].data.len;
        executables += !m->items[i].target.len && (m->items[i].mode & 0111);
    }
    if (bytes_equal_string(name, "entries"))
        return json_integer(a, (int64_t)m->count);
    if (bytes_equal_string(name, "total"))
        return json_integer(a, total);
    return bytes_equal_string(name, "executables") ? json_integer(a, executables) : NULL;
}

struct json *members_fact(const struct members *m, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "names"))
        return names_fact(m, a);
    struct json *count = count_fact(m, name, a);
    if (count || !m->count)
        return count;
    const struct member *first = &m->items[0];
    if (bytes_equal_string(name, "first-name"))
        return json_string(a, first->name);
    if (bytes_equal_string(name, "last-name"))
        return json_string(a, m->items[m->count - 1].name);
    if (bytes_equal_string(name, "first-size"))
        return json_integer(a, (int64_t)first->data.len);
    if (!bytes_equal_string(name, "first-sha256"))
        return NULL;
    char hex[65];
    sha256_hex(first->data, hex);
    return json_text(a, hex);
}
