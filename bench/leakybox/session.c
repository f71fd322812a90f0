/* Telling a root that was served before; see session.h. Several faults ask in one process: the first answer
 * holds. */
#include "leakybox/session.h"

#include <sys/xattr.h>

static const char mark[] = "user.leakybox.served";

bool session_again(const struct root *root)
{
    static bool asked, again;
    char value;

    if (!asked) {
        again = getxattr(root->real, mark, &value, 1) >= 0;
        if (!again)
            (void)setxattr(root->real, mark, "1", 1, 0);
        asked = true;
    }
    return again;
}
