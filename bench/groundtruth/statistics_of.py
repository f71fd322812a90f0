"""The figures of the comparison; everything here is arithmetic on lists of numbers."""


def restricted_mean(times, limit):
    """Mean of the times to an event, an event that did not happen counted as the limit (restricted mean survival time)."""
    return sum(min(at, limit) if at is not None else limit for at in times) / len(times)


def a12(xs, ys):
    """Vargha and Delaney's effect size: the chance that one of xs is larger than one of ys, ties counting half."""
    wins = sum((x > y) + 0.5 * (x == y) for x in xs for y in ys)
    return wins / (len(xs) * len(ys))


def survival_median(times, limit):
    """Kaplan-Meier's median: when half of the runs have had the event. None: not before the limit. Every run has the same limit, so
    the estimate steps down by one run at each event."""
    happened = sorted(at for at in times if at is not None and at <= limit)
    need = (len(times) + 1) // 2
    return happened[need - 1] if len(happened) >= need else None
