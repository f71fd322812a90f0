/* For planted faults: was this root served before? */
#ifndef LEAKYBOX_SESSION_H
#define LEAKYBOX_SESSION_H

#include <stdbool.h>

#include "leakybox/root.h"

/* True when a server before this one has asked the same of the root. A mark on the directory, an extended
 * attribute, tells; it is no file, so nobody who lists or reads sees it. Where the file system has none,
 * every session is a first one. */
bool session_again(const struct root *root);

#endif
