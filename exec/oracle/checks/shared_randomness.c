/* Two programs that draw randomness from the kernel and print the same. Judged for programs that do nothing
 * else, equal in text, whose output is long enough that it cannot be chance. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "shared-randomness";

enum { OUTPUT_LEAST = 16, OUTPUT_MOST = 1024 };

static bool draws(const struct execution *e, const struct observation *o, struct bytes *text)
{
    bool present;
    struct bytes script = observation_script(o);
    *text = observation_result(o, "stdout", &present);
    return observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit && o->outcome.exit == 0 &&
           text->len >= OUTPUT_LEAST && text->len <= OUTPUT_MOST &&
           symptom_words(
               script,
               "/dev/urandom|/dev/random|os.urandom|uuid.uuid4|uuid4()|secrets.token|getrandom|uuidgen") &&
           !symptom_words(script, "sha|md5|wc |cksum|len(|seed|sum|> |>>|tee |echo ") &&
           !step_mutated(e, o->step);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    struct bytes a, b;
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = i + 1; draws(e, &e->observations[i], &a) && k < e->count; k++) {
            const struct observation *x = &e->observations[i], *y = &e->observations[k];
            if (!draws(e, y, &b) || !bytes_equal(observation_script(x), observation_script(y)) ||
                !bytes_equal(a, b))
                continue;
            struct buf evidence;
            buf_init(&evidence, 4096);
            buf_addf(&evidence, "the programs of steps %s and %s draw random bytes, and both printed ",
                     x->step->id, y->step->id);
            judge_quote(&evidence, a, 80);
            buf_add_string(&evidence, " -> sandbox");
            judge_say(out, e, slug, k, EFFECT_WRONG, "two programs draw the same random bytes",
                      "randomness comes twice", buf_string(&evidence));
            buf_release(&evidence);
            return;
        }
}

const struct check check_shared_randomness = {slug, "C78", "environment",
                                              "no two programs draw the same random bytes", judge};
