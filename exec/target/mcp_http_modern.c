/* What the stateless era adds to each request over HTTP: headers that repeat the version, the method, and the name of what is asked
 * for. */
#include "exec/target/mcp_http.h"

void mcp_http_mirror(const struct post *p, struct arena *a, struct mcp_mirror *out)
{
    const struct mcp_client *c = p->client;
    const struct mcp_exchange *x = p->exchange;
    *out = (struct mcp_mirror){0};
    if (!mcp_client_is_modern(c))
        return;
    if (x && x->name.len)
        *out = (struct mcp_mirror){.method = x->method, .name = mcp_header_text(a, x->name)};
    else
        mcp_mirror_read(bytes_of(p->body, p->length), a, out);
    if (!out->version)
        out->version = c->envelope.version;
}
