/* The command line of a Chromium of this machine, and its directories; see chromium.h. */
#include "exec/target/cdp/chromium.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target/root.h"

enum { DIRECTORY_MODE = 0700, TRIES = 1000 };

/* Nothing that phones home, asks the user, or differs from one day to the next; pages behind others go on as those in front do. */
static const char *const flags[] = {
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-gpu",
    "--disable-features=Translate,MediaRouter,OptimizationHints,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,"
    "AutofillServerCommunication,DialMediaRouteProvider,HttpsUpgrades",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--window-size=1280,720",
    NULL,
};

/* A fresh directory in the session's home that is whoever's the browser runs as. Names of earlier starts are not used again: what
 * stands there may be anything by now. */
static char *make_directory(struct session *s, const char *what, int *fd, struct error **err)
{
    unsigned owner = session_owner(s);
    for (int i = 1; i <= TRIES; i++) {
        char *path = strings_printf("%s/.%s-%d", s->home, what, i);
        if (mkdir(path, DIRECTORY_MODE) == 0) {
            int opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (opened >= 0 && (!owner || fchown(opened, owner, owner) == 0)) {
                *fd = opened;
                return path;
            }
            if (opened >= 0)
                close(opened);
        }
        int reason = errno;
        free(path);
        if (reason != EEXIST) {
            error_set(err, ERR_OUTPUT, "cannot make a directory in '%s': %s", s->home, strerror(reason));
            return NULL;
        }
    }
    error_set(err, ERR_OUTPUT, "cannot make a directory in '%s': too many are there", s->home);
    return NULL;
}

int chromium_prepare(struct session *s, struct chromium *b, struct error **err)
{
    int profile_fd;
    *b = (struct chromium){.download_fd = -1};
    b->profile = make_directory(s, "browser", &profile_fd, err);
    if (!b->profile)
        return ERR_OUTPUT;
    close(profile_fd);
    b->downloads = make_directory(s, "downloads", &b->download_fd, err);
    return b->downloads ? 0 : ERR_OUTPUT;
}

void chromium_release(struct chromium *b)
{
    free(b->profile);
    free(b->downloads);
    if (b->download_fd >= 0)
        close(b->download_fd);
    *b = (struct chromium){.download_fd = -1};
}

char **chromium_words(const struct session *s, const struct chromium *b, bool sandbox)
{
    struct strings words = {0};
    char **given = session_words(s);
    strings_add(&words, given[0]);
    strings_add_all(&words, flags);
    if (!sandbox)
        strings_add(&words, "--no-sandbox");
    strings_addf(&words, "--user-data-dir=%s", b->profile);
    strings_add_all(&words, (const char *const *)given + 1);
    strings_add(&words, "about:blank");
    strings_free(given);
    return strings_take(&words);
}
