/* grammar/derivation: the log and its text form, and choosers: replay, damage that stays local,
 * distributions. */
#include "base/encode.h"
#include "grammar_case.h"

static struct derivation log_made, log_again;
static struct buf text;
static struct rng rng;

static void set_up(void)
{
    derivation_init(&log_made);
    derivation_init(&log_again);
    buf_init(&text, 1 << 20);
    rng_seed(&rng, 7, 0);
}

static void tear_down(void)
{
    derivation_release(&log_made);
    derivation_release(&log_again);
    buf_release(&text);
}

static void assert_same(const struct derivation *a, const struct derivation *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        ck_assert_uint_eq(a->items[i].site, b->items[i].site);
        ck_assert_uint_eq(a->items[i].end, b->items[i].end);
        ck_assert_uint_eq(a->items[i].value, b->items[i].value);
    }
}

/* A random tree of choices: the values drawn depend on those before, as in a grammar. */
static void grow(struct chooser *c, unsigned depth)
{
    static const double weights[] = {1, 2, 3};
    for (uint32_t i = 0; i < 3; i++) {
        chooser_uniform(c, UINT32_MAX - i, i == 1 ? 0 : 1000000);
        size_t handle, index = chooser_open_weighted(c, 10 * depth + i, weights, 3, &handle);
        if (depth && index)
            grow(c, depth - 1);
        chooser_close(c, handle);
    }
}

START_TEST(text_form_round_trip)
{
    for (int i = 0; i < 50; i++) {
        struct chooser c;
        derivation_clear(&log_made);
        chooser_init(&c, &rng, NULL, &log_made);
        grow(&c, 5);
        buf_clear(&text);
        derivation_encode(&log_made, &text);
        ck_assert_int_eq(derivation_decode(&log_again, buf_bytes(&text), NULL), 0);
        assert_same(&log_made, &log_again);
    }
}
END_TEST

START_TEST(empty_and_copy)
{
    derivation_encode(&log_made, &text);
    ck_assert_uint_eq(text.len, 0);
    ck_assert_int_eq(derivation_decode(&log_again, BYTES_NONE, NULL), 0);
    ck_assert_uint_eq(log_again.count, 0);
    struct chooser c;
    chooser_init(&c, &rng, NULL, &log_made);
    grow(&c, 3);
    derivation_copy(&log_again, &log_made);
    assert_same(&log_made, &log_again);
    derivation_copy(&log_again, &(struct derivation){0});
    ck_assert_uint_eq(log_again.count, 0);
}
END_TEST

/* Raw entries, in hex, and why they are refused. */
static const struct {
    const char *hex, *message;
} damaged[] = {
    {"02", "derivation: entry 0 is cut off or not made of varints"},
    {"0205", "derivation: entry 0 is cut off or not made of varints"},
    {"0205ff", "derivation: entry 0 is cut off or not made of varints"},
    {"020501020580", "derivation: entry 1 is cut off or not made of varints"},
    {"010501", "derivation: entry 0 has a site outside 0..2^32-1"},
    {"808080802005010000", "derivation: entry 0 has a site outside 0..2^32-1"},
    {"020500", "derivation: entry 0 has an impossible extent"},
    {"0205ffffffff1f", "derivation: entry 0 has an impossible extent"},
    {"020502", "derivation: entry 0 ends at 2, but what it stands in at 1"},
    {"020502"
     "020502"
     "020501",
     "derivation: entry 1 ends at 3, but what it stands in at 2"},
};

START_TEST(damaged_text)
{
    struct buf raw;
    buf_init(&raw, 100);
    ck_assert_int_eq(hex_decode(&raw, bytes_of_string(damaged[_i].hex)), 0);
    base64_encode(&text, buf_bytes(&raw));
    buf_release(&raw);
    struct error *err = NULL;
    ck_assert_int_eq(derivation_decode(&log_again, buf_bytes(&text), &err), ERR_INPUT);
    ck_assert_str_eq(err->text, damaged[_i].message);
    ck_assert_uint_eq(log_again.count, 0);
    error_free(err);
}
END_TEST

START_TEST(not_base64)
{
    struct error *err = NULL;
    ck_assert_int_eq(derivation_decode(&log_again, BYTES_LITERAL("=nonsense="), &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "derivation: not base64");
    error_free(err);
}
END_TEST

START_TEST(replay_reproduces)
{
    struct chooser c;
    chooser_init(&c, &rng, NULL, &log_made);
    grow(&c, 5);
    chooser_init(&c, &rng, &log_made, &log_again);
    grow(&c, 5);
    ck_assert(!c.diverged);
    ck_assert_uint_eq(c.at, log_made.count);
    assert_same(&log_made, &log_again);
}
END_TEST

START_TEST(values_are_reduced)
{
    static const double weights[] = {0, 1, 0, 0};
    struct choice items[] = {{1, 1, 17}, {2, 2, 6}, {3, 3, 3}, {4, 4, 9}, {5, 5, 66}, {6, 6, UINT64_MAX}};
    struct derivation replay = {items, 6, 6};
    struct weight_slot slots[5];
    weight_slots_fill(slots, (double[]){1, 1, 1, 1, 1}, 5);
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, &replay, &log_made);
    ck_assert_uint_eq(chooser_uniform(&c, 1, 10), 7);
    ck_assert_uint_eq(chooser_weighted(&c, 2, weights, 4), 1);
    ck_assert_uint_eq(chooser_open_weighted(&c, 3, weights, 4, &handle), 1);
    chooser_close(&c, handle);
    ck_assert_uint_eq(chooser_open_slots(&c, 4, slots, 5, &handle), 4);
    chooser_close(&c, handle);
    ck_assert_uint_eq(chooser_open_count(&c, 5, 60, COUNT_OPEN, &handle), 6);
    chooser_close(&c, handle);
    ck_assert_uint_eq(chooser_uniform(&c, 6, 0), UINT64_MAX);
    ck_assert(!c.diverged);
}
END_TEST

START_TEST(single_choices)
{
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, NULL, &log_made);
    ck_assert_uint_eq(chooser_uniform(&c, 1, 1), 0);
    ck_assert_uint_eq(chooser_weighted(&c, 2, (double[]){4}, 1), 0);
    ck_assert_uint_eq(log_made.count, 0);
    ck_assert_uint_eq(chooser_open_weighted(&c, 3, (double[]){4}, 1, &handle), 0);
    chooser_close(&c, handle);
    ck_assert_uint_eq(log_made.count, 1);
}
END_TEST

/* open a { open b { x } y } z, each with its own value. */
static void fixed_tree(struct chooser *c, uint64_t values[5], uint32_t inner_site)
{
    size_t a, b;
    values[0] = chooser_open_count(c, 1, 1000, COUNT_BOUNDED, &a);
    values[1] = chooser_open_count(c, inner_site, 1000, COUNT_BOUNDED, &b);
    values[2] = chooser_uniform(c, inner_site + 1, 1000000);
    chooser_close(c, b);
    values[3] = chooser_uniform(c, 4, 1000000);
    chooser_close(c, a);
    values[4] = chooser_uniform(c, 5, 1000000);
}

START_TEST(extents)
{
    struct chooser c;
    uint64_t values[5];
    chooser_init(&c, &rng, NULL, &log_made);
    fixed_tree(&c, values, 2);
    static const uint32_t ends[] = {4, 3, 3, 4, 5};
    ck_assert_uint_eq(log_made.count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_uint_eq(log_made.items[i].end, ends[i]);
}
END_TEST

/* A subtree whose sites are foreign is given up as a whole; what stands beside and behind it is still replayed. */
START_TEST(damage_stays_local)
{
    struct chooser c;
    uint64_t values[5], again[5];
    chooser_init(&c, &rng, NULL, &log_made);
    fixed_tree(&c, values, 2);
    chooser_init(&c, &rng, &log_made, &log_again);
    fixed_tree(&c, again, 70);
    ck_assert(c.diverged);
    ck_assert_uint_eq(again[0], values[0]);
    ck_assert_uint_eq(again[4], values[4]);
    ck_assert_uint_ne(again[1], values[1]);
    ck_assert_uint_ne(again[2], values[2]);
    ck_assert_uint_eq(again[3], values[3]);
}
END_TEST

/* Five questions beside each other, of the sites 10 … 14. */
static void five_leaves(struct chooser *c, uint64_t values[5])
{
    for (uint32_t i = 0; i < 5; i++)
        values[i] = chooser_uniform(c, 10 + i, 0);
}

/* One entry too few costs that one answer, one too many costs nothing. */
START_TEST(siblings_are_found_again)
{
    struct chooser c;
    uint64_t values[5], again[5];
    for (size_t at = 0; at < 5; at++)
        for (int extra = 0; extra < 2; extra++) {
            derivation_clear(&log_made);
            derivation_clear(&log_again);
            chooser_init(&c, &rng, NULL, &log_made);
            five_leaves(&c, values);
            struct choice items[6];
            size_t count = 0;
            for (size_t i = 0; i < 5; i++) {
                if (i == at && extra)
                    items[count++] = (struct choice){.site = 99, .value = 1};
                if (i != at || extra)
                    items[count++] = log_made.items[i];
            }
            for (size_t i = 0; i < count; i++)
                items[i].end = (uint32_t)i + 1;
            struct derivation edited = {.items = items, .count = count, .capacity = count};
            chooser_init(&c, &rng, &edited, &log_again);
            five_leaves(&c, again);
            ck_assert(c.diverged || (!extra && at == 4));
            for (size_t i = 0; i < 5; i++)
                ck_assert_msg((again[i] == values[i]) == (extra || i != at), "entry %zu of %zu, %d", i, at, extra);
        }
}
END_TEST

/* The entries below the inner opening are cut out: they are drawn anew, all others stay. */
START_TEST(cut_subtree_is_drawn_anew)
{
    struct chooser c;
    uint64_t values[5], again[5];
    chooser_init(&c, &rng, NULL, &log_made);
    fixed_tree(&c, values, 2);
    memmove(&log_made.items[2], &log_made.items[3], 2 * sizeof *log_made.items);
    log_made.count = 4;
    static const uint32_t ends[] = {3, 2, 3, 4};
    for (size_t i = 0; i < 4; i++)
        log_made.items[i].end = ends[i];
    chooser_init(&c, &rng, &log_made, &log_again);
    fixed_tree(&c, again, 2);
    ck_assert(!c.diverged);
    for (size_t i = 0; i < 5; i++)
        if (i == 2)
            ck_assert_uint_ne(again[i], values[i]);
        else
            ck_assert_uint_eq(again[i], values[i]);
    assert_nested(&log_again);
}
END_TEST

/* Ends that point anywhere, sites that jump: never out of bounds, and the new log is whole. */
START_TEST(any_damage_is_survived)
{
    struct rng damage;
    rng_seed(&damage, 99, 0);
    for (int i = 0; i < 2000; i++) {
        struct chooser c;
        derivation_clear(&log_made);
        derivation_clear(&log_again);
        chooser_init(&c, &rng, NULL, &log_made);
        grow(&c, 3);
        log_made.count -= rng_below(&damage, log_made.count);
        for (uint64_t k = rng_below(&damage, 5); k > 0; k--) {
            struct choice *item = &log_made.items[rng_below(&damage, log_made.count)];
            item->end = rng_chance(&damage, 0.5) ? (uint32_t)rng_next(&damage) : item->end;
            item->site += rng_chance(&damage, 0.3);
            item->value = rng_chance(&damage, 0.5) ? rng_next(&damage) : item->value;
        }
        chooser_init(&c, &rng, &log_made, &log_again);
        grow(&c, 3);
        ck_assert_uint_le(c.at, log_made.count);
        assert_nested(&log_again);
    }
}
END_TEST

START_TEST(weights_are_met)
{
    static const double weights[] = {1, 0, 2.5, 10, 0.25, 3};
    static const double positive[] = {1, 2.5, 10, 0.25, 3};
    uint64_t linear[6] = {0}, alias[5] = {0}, kept[5];
    struct weight_slot slots[5];
    struct chooser c;
    size_t handle;
    weight_slots_fill(slots, positive, 5);
    chooser_init(&c, &rng, NULL, &log_made);
    for (int i = 0; i < 100000; i++) {
        linear[chooser_weighted(&c, 1, weights, 6)]++;
        alias[chooser_open_slots(&c, 1, slots, 5, &handle)]++;
        chooser_close(&c, handle);
    }
    ck_assert_uint_eq(linear[1], 0);
    for (size_t i = 0, k = 0; i < 6; i++)
        if (i != 1)
            kept[k++] = linear[i];
    ck_assert(fits(kept, positive, 5));
    ck_assert(fits(alias, positive, 5));
}
END_TEST

/* An index without weight is never drawn nor replayed, and one with the least weight is not taken for one. */
START_TEST(slots_without_weight)
{
    static const double tables[][4] = {
        {3, 0, 1, 0}, {0, 0, 0, 1}, {1, 1, 0, 1}, {1e-12, 1, 0, 1e12}, {0.1, 0.2, 0.3, 0}};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        struct weight_slot slots[4];
        struct choice items[4] = {{1, 1, 0}, {1, 2, 1}, {1, 3, 2}, {1, 4, 3}};
        struct derivation replay = {items, 4, 4};
        struct chooser c;
        size_t handle;
        weight_slots_fill(slots, tables[k], 4);
        chooser_init(&c, &rng, NULL, &log_made);
        for (int i = 0; i < 5000; i++) {
            ck_assert(tables[k][chooser_open_slots(&c, 1, slots, 4, &handle)] > 0);
            chooser_close(&c, handle);
        }
        chooser_init(&c, &rng, &replay, &log_again);
        for (size_t i = 0; i < 4; i++) {
            size_t index = chooser_open_slots(&c, 1, slots, 4, &handle);
            chooser_close(&c, handle);
            ck_assert(tables[k][index] > 0);
            ck_assert(index == i || !(tables[k][i] > 0));
        }
    }
}
END_TEST

START_TEST(slots_of_one_and_many)
{
    struct weight_slot one[1];
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, NULL, &log_made);
    weight_slots_fill(one, (double[]){1e-300}, 1);
    ck_assert_uint_eq(chooser_open_slots(&c, 1, one, 1, &handle), 0);
    chooser_close(&c, handle);
    enum { MANY = 1000 };
    static double weights[MANY];
    static struct weight_slot slots[MANY];
    static uint64_t counts[MANY];
    for (size_t i = 0; i < MANY; i++)
        weights[i] = 1 + (double)(i % 7);
    weight_slots_fill(slots, weights, MANY);
    for (int i = 0; i < 200000; i++) {
        counts[chooser_open_slots(&c, 1, slots, MANY, &handle)]++;
        chooser_close(&c, handle);
    }
    ck_assert(fits(counts, weights, MANY));
}
END_TEST

START_TEST(counts_even)
{
    static const double even[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    uint64_t counts[16] = {0};
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, NULL, &log_made);
    for (int i = 0; i < 100000; i++) {
        counts[chooser_open_count(&c, 1, 16, COUNT_BOUNDED, &handle)]++;
        chooser_close(&c, handle);
    }
    ck_assert(fits(counts, even, 16));
}
END_TEST

/* 200 counts: 0, 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64-127, 128-199, each range alike, and alike within it. */
START_TEST(counts_spread)
{
    static double shares[200];
    static uint64_t counts[200];
    for (unsigned i = 0; i < 200; i++) {
        unsigned low = 1;
        while (2 * low <= i)
            low *= 2;
        shares[i] = i == 0 ? 1 : 1.0 / (low == 128 ? 72 : low);
    }
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, NULL, &log_made);
    for (int i = 0; i < 300000; i++) {
        uint64_t count = chooser_open_count(&c, 1, 200, COUNT_BOUNDED, &handle);
        ck_assert_uint_lt(count, 200);
        counts[count]++;
        chooser_close(&c, handle);
    }
    ck_assert(fits(counts, shares, 200));
}
END_TEST

START_TEST(counts_geometric)
{
    double shares[12];
    uint64_t counts[12] = {0};
    for (int i = 0; i < 11; i++)
        shares[i] = 0.25 * pow(0.75, i);
    shares[11] = pow(0.75, 11);
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, NULL, &log_made);
    for (int i = 0; i < 100000; i++) {
        uint64_t count = chooser_open_count(&c, 1, CHOOSER_OPEN_MOST + 1, COUNT_OPEN, &handle);
        ck_assert_uint_le(count, CHOOSER_OPEN_MOST);
        counts[count < 11 ? count : 11]++;
        chooser_close(&c, handle);
    }
    ck_assert(fits(counts, shares, 12));
}
END_TEST

START_TEST(counts_at_the_edges)
{
    struct chooser c;
    size_t handle;
    chooser_init(&c, &rng, NULL, &log_made);
    static const uint64_t sizes[] = {1, 2, 16, 17, 18, (uint64_t)1 << 32, UINT64_MAX};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint64_t largest = 0;
        for (int i = 0; i < 5000; i++) {
            uint64_t count = chooser_open_count(&c, 1, sizes[k], (enum count_shape)(i % 2), &handle);
            chooser_close(&c, handle);
            ck_assert_uint_lt(count, sizes[k]);
            largest = count > largest ? count : largest;
        }
        ck_assert_uint_ge(largest, sizes[k] <= 18 ? sizes[k] - 1 : sizes[k] / 2);
    }
}
END_TEST

/* A place that can go several ways is logged also when one is left; a fixed one is not. */
START_TEST(one_way_that_is_left_is_logged)
{
    struct chooser c;
    chooser_init(&c, &rng, NULL, &log_made);
    ck_assert_uint_eq(chooser_uniform(&c, 1, 1), 0);
    ck_assert_uint_eq(log_made.count, 0);
    ck_assert_uint_eq(chooser_among(&c, 1, 1), 0);
    ck_assert_uint_lt(chooser_among(&c, 2, 7), 7);
    ck_assert_uint_eq(log_made.count, 2);
    log_made.items[0].value = 12;
    chooser_init(&c, &rng, &log_made, &log_again);
    ck_assert_uint_eq(chooser_among(&c, 1, 1), 0);
    ck_assert_uint_eq(chooser_among(&c, 2, 7), log_made.items[1].value);
}
END_TEST

/* What was settled elsewhere takes the place of the entry that the replay has for it, or stands beside the others. */
START_TEST(notes_take_their_place)
{
    struct chooser c;
    uint64_t values[5], again[5];
    chooser_init(&c, &rng, NULL, &log_made);
    ck_assert(!chooser_recalls(&c, 9));
    chooser_note(&c, 9, 3);
    five_leaves(&c, values);
    ck_assert(log_made.count == 6 && log_made.items[0].site == 9 && log_made.items[0].value == 3);
    chooser_init(&c, &rng, &log_made, &log_again);
    ck_assert(chooser_recalls(&c, 9) && chooser_recalls(&c, 10) && !chooser_recalls(&c, 8) && c.at == 0 && !c.diverged);
    chooser_note(&c, 8, 1);
    chooser_note(&c, 9, 2);
    ck_assert(!chooser_recalls(&c, 9));
    five_leaves(&c, again);
    ck_assert(memcmp(values, again, sizeof values) == 0 && !c.diverged);
    ck_assert(log_again.count == 7 && log_again.items[0].value == 1 && log_again.items[1].value == 2);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, text_form_round_trip);
    tcase_add_test(t, empty_and_copy);
    tcase_add_loop_test(t, damaged_text, 0, sizeof damaged / sizeof *damaged);
    tcase_add_test(t, not_base64);
    tcase_add_test(t, replay_reproduces);
    tcase_add_test(t, values_are_reduced);
    tcase_add_test(t, single_choices);
    tcase_add_test(t, extents);
    tcase_add_test(t, damage_stays_local);
    tcase_add_test(t, siblings_are_found_again);
    tcase_add_test(t, cut_subtree_is_drawn_anew);
    tcase_add_test(t, any_damage_is_survived);
    tcase_add_test(t, weights_are_met);
    tcase_add_test(t, slots_without_weight);
    tcase_add_test(t, slots_of_one_and_many);
    tcase_add_test(t, counts_even);
    tcase_add_test(t, counts_spread);
    tcase_add_test(t, counts_geometric);
    tcase_add_test(t, counts_at_the_edges);
    tcase_add_test(t, one_way_that_is_left_is_logged);
    tcase_add_test(t, notes_take_their_place);
}

int main(void)
{
    return unit_main("derivation", fill);
}
