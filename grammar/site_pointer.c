/* Which pointers into a visit of the fixture site there are. */
#include "grammar/ops.h"

static const struct {
    const char *first;
    unsigned tokens;  /* of the pointer, `first` among them */
    const char *last; /* of three tokens: which ones, in a row with blanks around */
    bool text;
} pointers[] = {
    {"visits", 1, NULL, false},   {"status", 1, NULL, false},      {"length", 1, NULL, false}, {"sent", 1, NULL, false},
    {"body_size", 1, NULL, false}, {"method", 1, NULL, true},      {"end", 1, NULL, true},     {"body_sha256", 1, NULL, true},
    {"fields", 2, NULL, true},    {"query", 2, NULL, true},        {"headers", 2, NULL, true}, {"cookies", 2, NULL, true},
    {"files", 3, "size", false},  {"files", 3, "filename", true},  {"files", 3, "type", true}, {"files", 3, "sha256", true},
};

bool op_site_pointer(struct bytes pointer, bool *text)
{
    enum { TOKENS = 3 };
    struct bytes tokens[TOKENS];
    unsigned count = 0;
    for (size_t from = 0; from < pointer.len; count++) {
        if (pointer.data[from] != '/' || count == TOKENS)
            return false;
        ptrdiff_t end = bytes_find(pointer, BYTES_LITERAL("/"), from + 1);
        size_t to = end < 0 ? pointer.len : (size_t)end;
        tokens[count] = bytes_slice(pointer, from + 1, to);
        from = to;
    }
    for (size_t i = 0; count && i < sizeof pointers / sizeof *pointers; i++) {
        if (pointers[i].tokens != count || !bytes_equal_string(tokens[0], pointers[i].first) ||
            (pointers[i].last && !bytes_equal_string(tokens[2], pointers[i].last)))
            continue;
        *text = pointers[i].text;
        return true;
    }
    return false;
}
