/* explain --why: how a task came to be run, made again from the numbers that were kept. */
#include "cli/explain_why.h"

#include "exec/oracle/feedback.h"

#include <math.h>

/* "rarity 0.01 x speed 1.4 x freshness 4 / (1 + log2(1 + 3)) = 0.02" */
static void add_weight(struct buf *out, const struct store_picked *p)
{
    buf_addf(out, "      rarity %.6g x speed %.3g x freshness %g / (1 + log2(1 + picked %lld times)) = %.6g\n", p->rarity, p->speed,
             p->freshness, (long long)p->selected, store_weight(p));
}

bool explain_why_holds(const struct store_picked *p)
{
    double at = p->draw * p->total, end = p->before + store_weight(p);
    return p->draw >= 0 && p->draw < 1 && end <= p->total * (1 + 1e-9) && p->before <= at && at < end;
}

/* The domain of the feature that it was picked for. */
static const char *focus_name(const struct store_picked *p)
{
    const struct feedback *domain = feedback_of(p->feature);
    return domain ? domain->name : "unknown";
}

/* Where the draw fell. */
static void add_share(struct buf *out, const struct store_picked *p, const char *what)
{
    double weight = store_weight(p), at = p->draw * p->total;
    buf_addf(out, "      %s before it weighed %.6g, all of the domain %.6g; the draw %.6f of that, %.6g, %s from %.6g to %.6g%s\n", what, p->before,
             p->total, p->draw, at, explain_why_holds(p) ? "falls" : "DOES NOT FALL", p->before, p->before + weight,
             explain_why_holds(p) ? "" : ": somebody has changed the database");
}

void explain_why_pick(const struct store_picked *p, const char *parent, struct buf *out)
{
    if (p->feature) {
        buf_addf(out, "why: its parent %.12s was drawn as the first to show %s: %s, which weighed %.6g\n", parent, focus_name(p),
                 p->what, p->rarity);
        add_share(out, p, "features");
        return;
    }
    buf_addf(out, "why: its parent %.12s was drawn when it was the turn of the domain %s\n", parent, p->domain);
    add_weight(out, p);
    add_share(out, p, "members");
}

void explain_why_member(const struct store_picked *p, struct buf *out)
{
    double weight = store_weight(p);
    buf_addf(out, "now: number %lld of the corpus weighs\n", (long long)p->number);
    add_weight(out, p);
    buf_addf(out, "      of %.6g in the domain %s: it is drawn in %.3g %% of that domain's turns\n", p->total, p->domain,
             p->total > 0 ? 100 * weight / p->total : 0);
}

static struct json *weight_json(const struct store_picked *p, struct arena *a)
{
    struct json *object = json_new(a, JSON_OBJECT);
    json_set(a, object, "domain", json_text(a, p->domain));
    if (p->feature) {
        json_set(a, object, "feature", json_text(a, focus_name(p)));
        json_set(a, object, "shown", json_text(a, p->what ? p->what : ""));
    }
    json_set(a, object, "rarity", json_real(a, p->rarity));
    json_set(a, object, "speed", json_real(a, p->speed));
    json_set(a, object, "freshness", json_real(a, p->freshness));
    json_set(a, object, "picked", json_integer(a, p->selected));
    json_set(a, object, "weight", json_real(a, store_weight(p)));
    json_set(a, object, "before", json_real(a, p->before));
    json_set(a, object, "total", json_real(a, p->total));
    return object;
}

struct json *explain_why_json(const struct store_picked *p, bool pick, struct arena *a)
{
    struct json *object = weight_json(p, a);
    if (pick) {
        json_set(a, object, "draw", json_real(a, p->draw));
        json_set(a, object, "holds", json_bool(a, explain_why_holds(p)));
    }
    return object;
}
