/* Targets: parsed SPECs with their options, shared by sessions of several threads.
 *
 * Everything but identity, driver_shared, programs, lacking, root_visible and disk_visible is immutable after
 * target_new; those are guarded by
 * the lock. */
#include "exec/target/target.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/target/session_internal.h"
#include "exec/target/small_disk.h"
#include "exec/target/spec.h"
#include "exec/target/url.h"

struct target_lock {
    pthread_mutex_t mutex;
};

static char *copy_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static char **copy_list(const char *const *list)
{
    struct strings copy = {0};
    strings_add_all(&copy, list);
    return list ? strings_take(&copy) : NULL;
}

static int check_env(const char *const *env, struct error **err)
{
    for (; env && *env; env++)
        if (!strchr(*env, '=') || **env == '=')
            return error_set(err, ERR_INPUT, "bad variable '%.*s', expected NAME=VALUE", (int)strcspn(*env, "="), *env);
    return 0;
}

/* Commands that nothing but our box holds back are not run where there is none to be had, unless asked for.
 */
static int check_wall(const struct target *t, struct error **err)
{
    const char *why;
    bool bare = t->driver->bare || (t->driver == &driver_exec && !t->word_count);
    if (!bare || t->options.no_box || box_possible(&why))
        return 0;
    return error_set(
        err, ERR_TARGET,
        "target '%s' without a sandbox of its own needs our box, and none can be made here: %s; "
        "--no-box runs its commands on this machine unprotected",
        t->driver->prefix, why);
}

/* Nothing may leave this machine without leave: neither the target nor what --ready knocks at. */
static int check_place(const struct target_options *o, const struct spec_kind *kind, char *const *words, struct error **err)
{
    char host[256];
    int port;
    if (o->allow_remote)
        return 0;
    if (kind->remote && kind->remote(words))
        return error_set(err, ERR_INPUT, "target '%s' is on another machine; --allow-remote if that is meant", o->spec);
    if (o->ready && url_address(o->ready, host, &port) && !url_is_here(host))
        return error_set(err, ERR_INPUT, "--ready '%s' is on another machine; --allow-remote if that is meant", o->ready);
    return 0;
}

/* The target of a SPEC without offers. */
static int make(const struct target_options *options, struct target **target, struct error **err)
{
    const struct spec_kind own = {.driver = options->driver}, *kind = &own;
    char **words;
    TRY(check_env(options->env, err));
    if (options->driver)
        words = copy_list((const char *const[]){NULL});
    else
        TRY(spec_parse(options->spec, &kind, &words, err));
    if (options->words) {
        strings_free(words);
        words = copy_list((const char *const *)options->words);
    }
    int placed = check_place(options, kind, words, err);
    if (placed < 0) {
        strings_free(words);
        return placed;
    }
    const char *commands[] = {options->start, options->stop};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char **split = NULL;
        int status = commands[i] ? spec_split(commands[i], &split, err) : 0;
        bool empty = split && !*split;
        strings_free(split);
        if (status < 0 || empty) {
            strings_free(words);
            return status < 0 ? (error_wrap(err, i ? "--stop" : "--start"), status)
                              : error_set(err, ERR_INPUT, "--%s: found nothing, expected a command", i ? "stop" : "start");
        }
    }
    struct target *t = xcalloc(1, sizeof *t);
    t->options = *options;
    t->options.spec = copy_text(options->spec);
    t->options.profile = copy_text(options->profile);
    t->options.words = NULL; /* they are t->words */
    t->options.cwd = copy_text(options->cwd);
    t->options.site = copy_text(options->site);
    t->options.start = copy_text(options->start);
    t->options.ready = copy_text(options->ready);
    t->options.stop = copy_text(options->stop);
    t->options.ca_file = copy_text(options->ca_file);
    t->options.headers = (const char *const *)copy_list(options->headers);
    t->options.env = (const char *const *)copy_list(options->env);
    t->options.tools = (const char *const *)copy_list(options->tools);
    t->options.exclude_tools = (const char *const *)copy_list(options->exclude_tools);
    t->driver = kind->driver;
    if (options->policy) {
        t->policy = *options->policy;
        t->options.policy = &t->policy;
    }
    t->joins = kind->joins;
    if (kind->beyond && !options->start)
        t->options.no_box = t->beyond = true; /* nothing is started here that a box could hold */
    t->words = words;
    spec_make_absolute(words, options->cwd == NULL);
    while (words[t->word_count])
        t->word_count++;
    t->lock = xcalloc(1, sizeof *t->lock);
    pthread_mutex_init(&t->lock->mutex, NULL);
    t->root_visible = t->disk_visible = t->site_reached = -1;
    int status = check_wall(t, err);
    if (status < 0) {
        target_free(t);
        return status;
    }
    *target = t;
    return 0;
}

int target_new(const struct target_options *options, struct target **target, struct error **err)
{
    struct target_options without = *options;
    char *plain = NULL, *whole = NULL;
    unsigned set = 0;
    TRY(spec_offers(options->spec, options->offer, &plain, &whole, &set, err));
    without.spec = plain;
    without.offer = NULL;
    int status = make(&without, target, err);
    if (status == 0 && set && (*target)->driver != &driver_mcp && (*target)->driver != &driver_http) {
        target_free(*target);
        *target = NULL;
        status = error_set(err, ERR_INPUT, "target '%s' is no MCP server, nothing can be offered to it", options->spec);
    }
    if (status == 0) {
        free((char *)(*target)->options.spec);
        (*target)->options.spec = whole;
        (*target)->offers = set;
        whole = NULL;
    }
    free(plain);
    free(whole);
    return status;
}

void target_isolate(void)
{
    small_disk_isolate();
}

void target_free(struct target *t)
{
    if (!t)
        return;
    if (t->free_shared && t->driver_shared)
        t->free_shared(t->driver_shared);
    free((char *)t->options.spec);
    free((char *)t->options.profile);
    free((char *)t->options.cwd);
    free((char *)t->options.site);
    free((char *)t->options.start);
    free((char *)t->options.ready);
    free((char *)t->options.stop);
    free((char *)t->options.ca_file);
    strings_free((char **)t->options.headers);
    strings_free((char **)t->options.env);
    strings_free((char **)t->options.tools);
    strings_free((char **)t->options.exclude_tools);
    strings_free(t->words);
    strings_release(&t->programs);
    strings_release(&t->lacking);
    pthread_mutex_destroy(&t->lock->mutex);
    free(t->lock);
    free(t);
}

const char *target_spec(const struct target *t)
{
    return t->options.spec;
}

const struct redactor *target_secrets(const struct target *t)
{
    return t->options.secrets;
}

const char *target_driver(const struct target *t)
{
    return t->driver->name;
}

const struct normaliser *target_rules(const struct target *t)
{
    return t->options.rules;
}

const struct user_checks *target_checks(const struct target *t)
{
    return t->options.checks;
}

const struct policy *target_policy(const struct target *t)
{
    return t->options.policy;
}

const struct settings *target_settings(const struct target *t)
{
    return t->options.settings;
}

const struct ops *target_ops(const struct target *t)
{
    return t->options.ops;
}

const char *target_identity(const struct target *t)
{
    return t->identity;
}

void target_set_identity(struct target *t, const char *format, ...)
{
    char text[sizeof t->identity];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct arena a;
    arena_init(&a);
    struct bytes clean = redact(t->options.secrets, bytes_of_string(text), NULL, REDACT_CUT_BACK, &a);
    snprintf(text, sizeof text, "%s", arena_string(&a, clean));
    arena_release(&a);
    target_lock(t);
    if (strcmp(t->identity, text) != 0) /* readers do not lock: it changes once */
        memcpy(t->identity, text, sizeof text);
    target_unlock(t);
}

void target_lock(struct target *t)
{
    pthread_mutex_lock(&t->lock->mutex);
}

void target_unlock(struct target *t)
{
    pthread_mutex_unlock(&t->lock->mutex);
}

bool target_beyond(const struct target *t)
{
    return t->beyond;
}

bool target_in_process(const struct target *t)
{
    return t->driver->in_process;
}

bool target_boxed(const struct target *t, const char **why)
{
    bool wanted = !t->options.no_box && !t->driver->in_process;
    if (wanted)
        return box_possible(why);
    if (why)
        *why = t->beyond ? "the sandbox is elsewhere" : t->driver->in_process ? "it is part of this process" : "the box was turned off";
    return false;
}

bool target_lacks(struct target *t, const char *need)
{
    bool lacks = false;
    target_lock(t);
    for (size_t i = 0; i < t->lacking.count && !lacks; i++)
        lacks = strcmp(t->lacking.items[i], need) == 0;
    target_unlock(t);
    return lacks;
}

void target_note_lack(struct target *t, const char *need)
{
    if (target_lacks(t, need))
        return;
    target_lock(t);
    strings_addf(&t->lacking, "%s", need); /* two sessions may both say so: it does no harm */
    target_unlock(t);
}
