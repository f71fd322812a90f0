/* The hash of a domain: of every byte it was read from, in the order of reading, whichever way a file was
 * reached. */
#include "base/fs.h"
#include "base/hash.h"
#include "grammar/domain_internal.h"
#include "grammar/grammar_internal.h"

/* Files of rules are read by the grammar, which imports more of them; it knows which they were. */
int domain_hash_imports(struct reading *r)
{
    const struct grammar *g = r->domain->grammar;
    for (size_t i = 0; i < g->imported.count; i++) {
        struct buf text;
        buf_init(&text, XML_MAX_FILE);
        int status = fs_read(g->imported.items[i], XML_MAX_FILE, &text, r->err);
        r->hash = hash64_mix(r->hash, hash64(buf_bytes(&text)));
        buf_release(&text);
        TRY(status);
    }
    return 0;
}
