/* In a foreign locale and time zone (class 25 of the ways to fail). */
#include "exec/gate/trials/trials.h"

static const char *const env[] = {"LC_ALL=C.UTF-8", "LANG=tr_TR.UTF-8", "LANGUAGE=tr", "TZ=Asia/Kathmandu", NULL};

const struct gate_trial trial_locale = {.name = "locale", .blame = "its solution fails in another locale or time zone", .solve = true, .env = env};
