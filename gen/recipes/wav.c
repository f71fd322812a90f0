/* wav: a tone in PCM. Each channel has a pitch and a loudness of its own, drawn from the seed; the wave is
 * made of parabolas, which is near enough to a sine and takes whole numbers only. */
#include <stdlib.h>

#include "base/error.h"
#include "gen/recipes/octets.h"
#include "gen/recipes/recipes.h"

enum { DATA_MAX = 1 << 26, CHANNELS_MAX = 8, PHASES = 1 << 16, HALF = PHASES / 2, LOUD = 1 << 15 };

struct tone {
    int64_t rate, channels, bits, frames;
    uint64_t pitch[CHANNELS_MAX]; /* Hz */
    int64_t loudness[CHANNELS_MAX];
};

static struct tone tone_of(const struct json *parameters)
{
    struct tone t = {.rate = recipe_int(parameters, "rate"),
                     .channels = recipe_int(parameters, "channels"),
                     .bits = recipe_int(parameters, "bits")};
    t.frames = t.rate * recipe_int(parameters, "milliseconds") / 1000;
    for (int64_t i = 0; i < t.channels; i++) {
        struct rng rng;
        recipe_rng(&rng, parameters, STREAM_WAV, (uint64_t)i);
        t.pitch[i] = (uint64_t)rng_range(&rng, 110, 1760);
        t.loudness[i] = rng_range(&rng, 4000, 30000);
    }
    return t;
}

/* From -32768 to 32767, or from -128 to 127 for 8 bits. */
static int64_t sample_at(const struct tone *t, int64_t frame, int64_t channel)
{
    uint64_t phase = (uint64_t)frame * t->pitch[channel] * PHASES / (uint64_t)t->rate % PHASES;
    int64_t x = (int64_t)(phase % HALF), bow = x * (HALF - x) / (HALF / 4);
    int64_t height = bow * t->loudness[channel] / LOUD;
    if (t->bits == 8)
        height /= 256;
    return phase < HALF ? height : -height;
}

static int wav_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct tone t = tone_of(parameters);
    uint32_t frame_size = (uint32_t)(t.channels * t.bits / 8), data = (uint32_t)t.frames * frame_size;
    uint32_t pad = data % 2;
    buf_add_string(out, "RIFF");
    octets_u32le(out, 36 + data + pad);
    buf_add_string(out, "WAVEfmt ");
    octets_u32le(out, 16);
    octets_u16le(out, 1); /* PCM */
    octets_u16le(out, (uint16_t)t.channels);
    octets_u32le(out, (uint32_t)t.rate);
    octets_u32le(out, (uint32_t)t.rate * frame_size);
    octets_u16le(out, (uint16_t)frame_size);
    octets_u16le(out, (uint16_t)t.bits);
    buf_add_string(out, "data");
    octets_u32le(out, data);
    for (int64_t i = 0; i < t.frames && !out->overflow; i++)
        for (int64_t c = 0; c < t.channels; c++) {
            int64_t sample = sample_at(&t, i, c);
            if (t.bits == 8)
                buf_add_byte(out, (uint8_t)(sample + 128));
            else
                octets_u16le(out, (uint16_t)sample);
        }
    octets_fill(out, 0, pad);
    return recipe_made(out, "wav", err);
}

static int64_t wav_size(const struct json *parameters)
{
    struct tone t = tone_of(parameters);
    return t.frames * t.channels * t.bits / 8;
}

static struct json *peak_fact(const struct json *parameters, struct arena *a)
{
    struct tone t = tone_of(parameters);
    int64_t peak = 0;
    for (int64_t i = 0; i < t.frames; i++)
        for (int64_t c = 0; c < t.channels; c++) {
            int64_t height = llabs(sample_at(&t, i, c));
            peak = height > peak ? height : peak;
        }
    return json_integer(a, peak);
}

static struct json *wav_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    static const char *const same[] = {"rate", "channels", "bits", "milliseconds"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (bytes_equal_string(name, same[i]))
            return json_integer(a, recipe_int(parameters, same[i]));
    if (bytes_equal_string(name, "frames"))
        return json_integer(a, tone_of(parameters).frames);
    if (bytes_equal_string(name, "seconds"))
        return recipe_decimal_fact(a, recipe_int(parameters, "milliseconds"), 3);
    return bytes_equal_string(name, "peak") ? peak_fact(parameters, a) : NULL;
}

static int wav_check(const struct json *parameters, const char *where, struct error **err)
{
    int64_t bits = recipe_int(parameters, "bits");
    if (bits % 8)
        return error_set(err, ERR_INPUT, "%s: bits: found %d, expected 8 or 16", where, (int)bits);
    if (wav_size(parameters) > DATA_MAX)
        return error_set(err, ERR_INPUT,
                         "%s: milliseconds: found a sound of more than %d bytes, expected a shorter one",
                         where, DATA_MAX);
    return 0;
}

static const struct recipe_parameter parameters_table[] = {
    {"rate", "8000", "frames a second", RECIPE_INT, 1000, 192000, NULL},
    {"channels", "1", "each with a tone of its own", RECIPE_INT, 1, CHANNELS_MAX, NULL},
    {"bits", "16", "of a sample: 8 (unsigned) or 16 (signed)", RECIPE_INT, 8, 16, NULL},
    {"milliseconds", "500", "how long it lasts", RECIPE_INT, 0, 3600000, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"frames",   "seconds", "milliseconds", "rate",
                                    "channels", "bits",    "peak",         NULL};

const struct recipe recipe_wav = {
    .name = "wav",
    .doc = "a tone in PCM; peak is the greatest distance of a sample from silence",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = wav_make,
    .fact = wav_fact,
    .check = wav_check,
};
