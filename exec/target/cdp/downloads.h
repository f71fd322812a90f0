/* Downloads of a browser, as its events tell of them. */
#ifndef EXEC_TARGET_CDP_DOWNLOADS_H
#define EXEC_TARGET_CDP_DOWNLOADS_H

#include "exec/target/cdp/cdp.h"

enum cdp_download_state { CDP_DOWNLOAD_RUNS, CDP_DOWNLOAD_DONE, CDP_DOWNLOAD_FAILED };

struct cdp_download {
    struct cdp_download *next;
    char id[CDP_ID_MAX]; /* the browser's, and the file's name: letters, digits and - only */
    struct buf url;
    uint64_t serial;     /* from 1, in the order in which they began */
    enum cdp_download_state state;
    bool claimed;        /* by an op that waits for it */
};

#endif
