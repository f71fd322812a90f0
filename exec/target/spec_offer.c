/* What is offered to an MCP server, as part of its SPEC: "mcp+roots+sampling:COMMAND" is "mcp:COMMAND" with two offers. So it is
 * stored with every run and finding, and a replay offers the same. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/mcp_offer.h"
#include "exec/target/spec.h"

int spec_offers(const char *spec, const char *more, char **plain, char **whole, unsigned *set, struct error **err)
{
    size_t name = strcspn(spec, "+:"), end = name;
    *set = 0;
    if (spec[name] == '+') {
        end = name + strcspn(spec + name, ":");
        char *words = strings_printf("%.*s", (int)(end - name - 1), spec + name + 1);
        int status = mcp_offer_parse(words, '+', set, err);
        free(words);
        if (status < 0) {
            error_wrap(err, "target '%s'", spec);
            return status;
        }
    }
    if (more && mcp_offer_parse(more, ',', set, err) < 0) {
        error_wrap(err, "--offer");
        return ERR_INPUT;
    }
    struct buf text;
    buf_init(&text, SIZE_MAX);
    buf_addf(&text, "%.*s", (int)name, spec);
    mcp_offer_add_suffix(&text, *set);
    buf_add_string(&text, spec + end);
    *plain = strings_printf("%.*s%s", (int)name, spec, spec + end);
    *whole = xstrdup(buf_string(&text));
    buf_release(&text);
    return 0;
}
