"""Compares loads by running them in short turns, so that other programs on the machine affect all of these loads equally."""

from statistics import median


def beside_limit(operation, limit, connections, seconds, turns):
    """Measures an operation in turns, and its limit before, between, and after these turns. The limit is a load that does only the
    necessary part of the operation, so its rate is the highest that the operation could reach. The share of a turn is the rate of the
    operation, divided by the mean of the limit's rates before and after the turn."""
    measured, limits = [], [limit.run(connections, seconds)]
    for _ in range(turns):
        measured.append(operation.run(connections, seconds))
        limits.append(limit.run(connections, seconds))
    shares = [turn["rate"] * 2 / (before["rate"] + after["rate"]) for turn, before, after in zip(measured, limits, limits[1:])]
    return {"name": operation.name, "connections": connections, **summary(measured), "limit": limit.name,
            "limit_rate": median_of(limits, "rate"), "limit_processor": median_of(limits, "processor"), "limit_p99": median_of(limits, "p99"),
            "share": median(shares), "shares": sorted(shares)}


def alternating(loads, connections, seconds, turns):
    """Measures several loads in turns. The order of the loads is reversed in every other turn. Returns a list of results for each load."""
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
