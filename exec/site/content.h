/* Contents of recipes as answers. */
#ifndef EXEC_SITE_CONTENT_H
#define EXEC_SITE_CONTENT_H

#include "exec/site/page.h"
#include "gen/recipe.h"

enum { WEB_CONTENT_MAX = 256 << 20 /* bytes of one answer */ };

/* The recipe of that name with the request's parameters; NULL: it is none, and the answer says so. */
struct json *web_content_read(struct web_request *r, struct bytes recipe, struct web_answer *a);
const char *web_content_type(struct bytes recipe);
/* It becomes what is answered; false: it cannot be made, and the answer says so. */
bool web_content_answer(struct web_answer *a, const struct json *content);

#endif
