/* Ids of this machine that a session of root's gets for its own 0..65535: the last 65536 of the range that
 * systemd keeps for containers, so no user's, and far from what /etc/subuid usually gives away. Without
 * capabilities a session is no root of its own either, but the user 1: every /etc/passwd has that one
 * (daemon), so that its name can be looked up. */
#ifndef EXEC_AGENT_IDS_H
#define EXEC_AGENT_IDS_H

enum { AGENT_FIRST_ID = 0x6fff0000, AGENT_ID_COUNT = 65536, AGENT_PLAIN_ID = 1 };

#endif
