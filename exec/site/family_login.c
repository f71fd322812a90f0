/* A login kept by a cookie: right and wrong passwords, an end by logout or by time. */
#include <string.h>

#include "exec/site/site_internal.h"

#define COOKIE "session"

static int64_t path_cookie(struct web_request *r, struct web_answer *a, const char *token, int64_t seconds)
{
    if (seconds >= 0)
        web_header(a, "Set-Cookie", COOKIE "=%s; Path=%s; HttpOnly; SameSite=Lax; Max-Age=%lld", token, web_link(r, "/"), (long long)seconds);
    else
        web_header(a, "Set-Cookie", COOKIE "=%s; Path=%s; HttpOnly; SameSite=Lax", token, web_link(r, "/"));
    return seconds;
}

/* The address goes on from page to page, as the parameters say who may come in. */
static const char *query_of(struct web_request *r)
{
    return r->visit->query.len ? arena_string(r->arena, r->visit->query) : "";
}

static void put_form(struct web_request *r, struct web_answer *a)
{
    web_add(a, "<form id=\"form\" method=\"post\" action=\"");
    web_escape(a, bytes_of_string(web_link(r, "/login?%s", query_of(r))));
    web_add(a, "\">\n<input name=\"user\"><input name=\"password\" type=\"password\"><button id=\"send\">log in</button>\n</form>\n");
}

static void answer_login(struct web_request *r, struct web_answer *a)
{
    bool tried = strcmp(r->method, "POST") == 0;
    struct bytes user = web_bytes(r, "user", "guest"), password = web_bytes(r, "password", "open sesame");
    if (tried && bytes_equal(web_form(r, "user"), user) && bytes_equal(web_form(r, "password"), password)) {
        int64_t seconds = web_number(r, "seconds", -1, 0, 1000000);
        pthread_mutex_lock(&r->site->lock);
        const struct web_login *l = web_logins_add(&r->site->logins, r->room, user, seconds < 0 ? -1 : web_site_now(r->site) + seconds * 1000);
        char token[sizeof l->token];
        memcpy(token, l->token, sizeof token);
        pthread_mutex_unlock(&r->site->lock);
        path_cookie(r, a, token, web_has(r, "session") ? -1 : seconds);
        web_header(a, "Location", "%s", web_link(r, "/account"));
        a->status = 303;
        return;
    }
    a->status = tried ? 401 : 200;
    web_head(a, "Log in");
    if (tried)
        web_line(a, "error", BYTES_LITERAL("wrong user or password"));
    put_form(r, a);
}

/* Who asks, by the cookie; false: nobody is logged in. */
static bool who(struct web_request *r, struct bytes *user, uint64_t *views)
{
    struct bytes token = web_cookie(r, COOKIE);
    pthread_mutex_lock(&r->site->lock);
    struct web_login *l = token.len ? web_logins_find(&r->site->logins, r->room, token, web_site_now(r->site)) : NULL;
    if (l) {
        *user = arena_copy(r->arena, bytes_of(l->user, l->user_length));
        *views = ++l->views;
    }
    pthread_mutex_unlock(&r->site->lock);
    return l != NULL;
}

static void turn_away(struct web_answer *a)
{
    a->status = 403;
    web_head(a, "Not logged in");
    web_line(a, "error", BYTES_LITERAL("log in first"));
}

static void answer_account(struct web_request *r, struct web_answer *a)
{
    struct bytes user;
    uint64_t views;
    if (!who(r, &user, &views)) {
        turn_away(a);
        return;
    }
    web_head(a, "Account");
    web_line(a, "user", user);
    web_addf(a, "<p id=\"views\">%llu</p>\n<a id=\"statement\" href=\"%s\">statement</a>\n<a id=\"logout\" href=\"%s\">log out</a>\n",
             (unsigned long long)views, web_link(r, "/account/statement"), web_link(r, "/logout"));
}

static void answer_statement(struct web_request *r, struct web_answer *a)
{
    struct bytes user;
    uint64_t views;
    if (!who(r, &user, &views)) {
        turn_away(a);
        return;
    }
    a->type = "text/plain; charset=utf-8";
    web_header(a, "Content-Disposition", "attachment; filename=\"statement.txt\"");
    web_add(a, "statement of ");
    buf_add(&a->body, user);
    web_add(a, "\n");
}

static void answer_logout(struct web_request *r, struct web_answer *a)
{
    struct bytes token = web_cookie(r, COOKIE);
    pthread_mutex_lock(&r->site->lock);
    if (token.len)
        web_logins_remove(&r->site->logins, r->room, token);
    pthread_mutex_unlock(&r->site->lock);
    path_cookie(r, a, "", 0);
    web_head(a, "Good-bye");
    web_line(a, "state", token.len ? BYTES_LITERAL("logged out") : BYTES_LITERAL("nobody was logged in"));
}

const struct web_page web_family_login[] = {
    WEB_PAGE("/login", "user=guest, password=open sesame, seconds=, session=", "login",
     "a form with user and password; then /account, or status 401 and #error. It ends after so many seconds; with session the cookie does not say so",
     answer_login),
    WEB_PAGE("/account", "", "behind the login", "#user, how often it was seen in #views, links #statement and #logout; else status 403 and #error", answer_account),
    WEB_PAGE("/account/statement", "", "a download behind the login", "\"statement of USER\" as statement.txt", answer_statement),
    WEB_PAGE("/logout", "", "logout", "takes the cookie away; #state", answer_logout),
    {0},
};
