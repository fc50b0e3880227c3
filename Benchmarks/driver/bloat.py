"""Measures how much of PostgreSQL's tables and indexes is dead or unused while rows are added, changed, and removed for a long time."""

import time

import load
from postgres import Postgres
from process import Server
from soak import SETTINGS

# The operations run in turns, one after the other: two turns of refreshes for each turn of code flows. TURN is the
# length of a turn, and SAMPLE_INTERVAL the time between two samples, both in seconds.
CONNECTIONS, TURN, SAMPLE_INTERVAL = 4, 10, 60
OPERATIONS = ("code flow", "refresh", "refresh")
# Tables and indexes below this size in bytes are not counted, because a single free page would be a large share of
# them.
MINIMUM = 1 << 20


def measure(options, folder):
    settings = f"{folder}/bloat.yaml"
    with open(settings, "w") as file:
        file.write(SETTINGS)
    postgres = Postgres(folder)
    server = Server.sallyportd(options.binaries, f"{folder}/data", "--config", settings, database=postgres.create("sallyport"))
    server.postgres = postgres
    # The pause of a connection before each request, in milliseconds.
    pause = round(1000 * CONNECTIONS / options.rate) if options.rate else 0
    requests, samples = 0, []
    try:
        postgres.sql("CREATE EXTENSION pgstattuple", "sallyport")
        server.start()
        loads = load.operations(server, server, server.signed_in())
        began = sampled = time.monotonic()
        while time.monotonic() - began < options.bloat * 60:
            for name in OPERATIONS:
                requests += loads[name][0].run(CONNECTIONS, TURN, pause)["rate"] * TURN
            if time.monotonic() - sampled >= SAMPLE_INTERVAL or not samples:
                sampled = time.monotonic()
                samples.append(((sampled - began) / 60, sample(postgres)))
                load.say(f"after {samples[-1][0]:.0f} min: {summary(samples[-1][1])}")
        samples.append(((time.monotonic() - began) / 60, sample(postgres)))
    finally:
        server.stop()
        postgres.stop()
    print(report(samples, requests))


def sample(postgres):
    """The size in bytes of each table and index, and the share of the size that is dead or free."""
    # The density of an index without entries is NaN.
    rows = postgres.sql("""
        SELECT relname, 'table', pg_relation_size(c.oid), (s.dead_tuple_len + s.free_space)::float8 / greatest(s.table_len, 1)
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, pgstattuple(c.oid) s
        WHERE nspname = 'sallyport' AND relkind = 'r'
        UNION ALL
        SELECT relname, 'index', pg_relation_size(c.oid), CASE WHEN s.avg_leaf_density = 'NaN' THEN 0 ELSE 1 - s.avg_leaf_density / 100 END
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, pgstatindex(c.oid) s
        WHERE nspname = 'sallyport' AND relkind = 'i'
        """, "sallyport")
    return {name: (kind, int(size), float(share)) for name, kind, size, share in (row.split("|") for row in rows.split())}


def wasted(sample, kind):
    """The share of all large tables or indexes that is dead or free, and their size in bytes."""
    large = [(size, share) for each, size, share in sample.values() if each == kind and size >= MINIMUM]
    total = sum(size for size, _ in large)
    return sum(size * share for size, share in large) / total if total else 0, total


def summary(sample):
    tables, indexes = wasted(sample, "table"), wasted(sample, "index")
    return (f"tables {tables[1] / 2**20:.0f} MiB, {tables[0]:.0%} dead or free; indexes {indexes[1] / 2**20:.0f} MiB, "
            f"{indexes[0]:.0%} unused")


def report(samples, requests):
    lines = [f"{requests:,.0f} operations over {CONNECTIONS} connections, with grants that live for ten minutes. Tables and indexes of at "
             "least 1 MiB. A new index is 10 % unused.", "",
             "| after, minutes | tables, MiB | dead or free | indexes, MiB | unused |", "|---|---|---|---|---|"]
    # At most 13 samples at even distances, among them the first and the last one.
    for index in sorted({position * (len(samples) - 1) // 12 for position in range(13)}):
        at, each = samples[index]
        tables, indexes = wasted(each, "table"), wasted(each, "index")
        lines.append(f"| {at:.0f} | {tables[1] / 2**20:.0f} | {tables[0]:.0%} | {indexes[1] / 2**20:.0f} | {indexes[0]:.0%} |")
    lines += ["", "| at the end | size, MiB | dead, free, or unused |", "|---|---|---|"]
    lines += [f"| {kind} {name} | {size / 2**20:.1f} | {share:.0%} |"
              for name, (kind, size, share) in sorted(samples[-1][1].items(), key=lambda item: -item[1][1]) if size >= MINIMUM]
    return "\n".join(lines)
