/* Which findings of a database a verb is about. */
#include "cli/cli.h"
#include "corpus/store.h"

int cli_findings(const struct verb *v, struct store *store, const char *prefix, struct arena *a, struct finding **findings, size_t *count)
{
    struct error *err = NULL;
    if (store_findings(store, prefix, a, findings, count, &err) < 0)
        return cli_fail(v, err);
    if (prefix && *count == 0)
        return cli_usage_fault(v, "no finding has the signature '%s'", prefix);
    if (prefix && *count > 1)
        return cli_usage_fault(v, "%zu findings have a signature that begins with '%s', expected one", *count, prefix);
    return 0;
}
