/* The end of what was written, in pieces of any size. */
#include <string.h>

#include "base/rng.h"
#include "exec/target/stderr_tail.h"
#include "unit.h"

enum { ALL = 60000 };

START_TEST(it_is_the_end)
{
    static uint8_t all[ALL];
    static struct stderr_tail t;
    struct rng rng;
    rng_seed(&rng, 1, 1);
    for (size_t i = 0; i < ALL; i++)
        all[i] = (uint8_t)rng_next(&rng);
    ck_assert_uint_eq(stderr_tail_bytes(&t).len, 0);
    for (size_t at = 0; at < ALL;) {
        size_t more = (size_t)rng_below(&rng, rng_chance(&rng, 0.1) ? 3 * STDERR_TAIL : 900);
        more = more < ALL - at ? more : ALL - at;
        stderr_tail_add(&t, all + at, more);
        at += more;
        size_t length = at < STDERR_TAIL ? at : STDERR_TAIL;
        ck_assert(bytes_equal(stderr_tail_bytes(&t), bytes_of(all + at - length, length)));
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, it_is_the_end);
}

int main(void)
{
    return unit_main("stderr_tail", fill);
}
