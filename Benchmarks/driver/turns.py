"""Runs loads that are compared in short turns, so that other load on the machine affects all of them equally."""

from statistics import median


def beside_limit(operation, limit, connections, seconds, turns):
    """Measures an operation in turns, and its limit before, between, and after them. The share of a turn is its rate, divided
    by the mean of the two rates of the limit before and after it."""
    measured, limits = [], [limit.run(connections, seconds)]
    for _ in range(turns):
        measured.append(operation.run(connections, seconds))
        limits.append(limit.run(connections, seconds))
    shares = [turn["rate"] * 2 / (before["rate"] + after["rate"]) for turn, before, after in zip(measured, limits, limits[1:])]
    return {"name": operation.name, "connections": connections, **summary(measured), "limit": limit.name,
            "limit_rate": median_of(limits, "rate"), "limit_processor": median_of(limits, "processor"), "limit_p99": median_of(limits, "p99"),
            "share": median(shares), "shares": sorted(shares)}


def alternating(loads, connections, seconds, turns):
    """Measures several loads in turns. The order is reversed in every other turn. Returns the turns of each load."""
    results = [[] for _ in loads]
    for turn in range(turns):
        for index in sorted(range(len(loads)), reverse=turn % 2 == 1):
            results[index].append(loads[index].run(connections, seconds))
    return results


def summary(turns):
    return {key: median_of(turns, key) for key in ("rate", "p50", "p99", "processor", "database", "writes")} | {
        "errors": sum(turn["errors"] for turn in turns)}


def median_of(turns, key):
    return median(turn[key] for turn in turns)
