/* The domains of features with what a database knows of them; see explain_domains.h. */
#include "cli/explain_domains.h"

#include "exec/oracle/feedback.h"

static void add_line(struct buf *out, const struct feedback *d, const struct store_domain *known, const struct store_domain_yield *yield)
{
    buf_addf(out, "%-13s %8lld %8lld %8lld %8lld  %u of %u%s  %s%s%s%s\n", d->name, (long long)known->features, (long long)known->stable,
             (long long)yield->let_in, (long long)yield->alone, d->shows, d->runs, d->alone ? "  " : " -", d->doc, d->needs ? " (needs " : "",
             d->needs ? d->needs : "", d->needs ? ")" : "");
}

static void add_object(struct buf *out, const struct feedback *d, const struct store_domain *known, const struct store_domain_yield *yield)
{
    struct arena a;
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    json_set(&a, o, "domain", json_text(&a, d->name));
    json_set(&a, o, "id", json_integer(&a, d->id));
    json_set(&a, o, "doc", json_text(&a, d->doc));
    if (d->needs)
        json_set(&a, o, "needs", json_text(&a, d->needs));
    json_set(&a, o, "features", json_integer(&a, known->features));
    json_set(&a, o, "stable", json_integer(&a, known->stable));
    json_set(&a, o, "shown", json_integer(&a, known->shown));
    json_set(&a, o, "let_in", json_integer(&a, yield->let_in));
    json_set(&a, o, "let_in_alone", json_integer(&a, yield->alone));
    json_set(&a, o, "again", json_integer(&a, d->shows));
    json_set(&a, o, "of", json_integer(&a, d->runs));
    json_set(&a, o, "may_alone", json_bool(&a, d->alone));
    json_write(out, o, JSON_COMPACT);
    buf_add_byte(out, '\n');
    arena_release(&a);
}

int explain_domains(struct store *store, bool json, struct buf *out, struct error **err)
{
    struct store_domain_yield yields[256];
    const struct feedback *d;
    TRY(store_domain_yields(store, yields, err));
    if (!json)
        buf_add_string(out, "domain        features   stable   let in    alone  again     what\n");
    for (size_t i = 0; (d = feedback_at(i)); i++) {
        struct store_domain known;
        TRY(store_domain(store, d->id, &known, err));
        (json ? add_object : add_line)(out, d, &known, &yields[d->id]);
    }
    return 0;
}
