"""Turns: what is compared runs by turns of a second or two, so that whatever else the machine does meets all of it."""

from statistics import median


def beside(operation, limit, connections, seconds, turns):
    """An operation in so many turns, its limit before, between and after them: each turn's share is of the two limits around it."""
    measured, limits = [], [limit.run(connections, seconds)]
    for _ in range(turns):
        measured.append(operation.run(connections, seconds))
        limits.append(limit.run(connections, seconds))
    shares = [turn["rate"] * 2 / (before["rate"] + after["rate"]) for turn, before, after in zip(measured, limits, limits[1:])]
    return {"name": operation.name, "connections": connections, **summary(measured), "limit": limit.name,
            "limit_rate": middle(limits, "rate"), "limit_processor": middle(limits, "processor"), "limit_p99": middle(limits, "p99"),
            "share": median(shares), "shares": sorted(shares)}


def alternating(loads, connections, seconds, turns):
    """Several loads, in an order that is turned round each time; the turns of each."""
    results = [[] for _ in loads]
    for turn in range(turns):
        for index in sorted(range(len(loads)), reverse=turn % 2 == 1):
            results[index].append(loads[index].run(connections, seconds))
    return results


def summary(turns):
    return {key: middle(turns, key) for key in ("rate", "p50", "p99", "processor")} | {
        "errors": sum(turn["errors"] for turn in turns)}


def middle(turns, key):
    return median(turn[key] for turn in turns)
