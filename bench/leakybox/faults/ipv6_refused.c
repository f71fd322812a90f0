/* What may be reached is decided for one family of addresses. */
#include "leakybox/denied.h"
#include "leakybox/faults.h"

static enum fault_mark on_start(struct fault_start *e)
{
    e->denied |= DENY_IPV6;
    return FAULT_REACHED;
}

static enum fault_mark on_denied(struct fault_denied *e)
{
    return e->call == DENY_IPV6 ? FAULT_TRIGGERED : FAULT_MISSED;
}

const struct fault fault_ipv6_refused = {
    .id = "ipv6-refused",
    .class_id = "C75",
    .layer = "sandbox",
    .primitive = "network",
    .needs = "plain",
    .summary = "a command reaches 127.0.0.1, but gets EACCES for a socket of IPv6",
    .report = "NVIDIA/OpenShell#1107",
    .start = on_start,
    .denied = on_denied,
};
