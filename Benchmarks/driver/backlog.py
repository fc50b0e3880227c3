"""Measures how much the removal of many expired tokens slows down apps that refresh, for example after the server was down for a night.

Two servers run on copies of one database and are loaded in turns. One of the servers has the backlog of expired tokens. It is suspended during the
turns of the server without a backlog.
"""

import shutil
import sqlite3
import statistics
import time

import load
from filled import fill
from process import Server
from turns import median_of

# PATIENCE is the time in which all tokens must be removed, in seconds.
CONNECTIONS, PATIENCE = 8, 1_800


def measure(options, folder):
    with_backlog = Server.sallyportd(options.binaries, f"{folder}/backlog")
    tokens = max(1_000_000, 2 * options.backlog)
    fill(options.binaries, with_backlog, tokens)
    shutil.copytree(with_backlog.data, f"{folder}/without", symlinks=True)
    without = Server.for_data(options.binaries, f"{folder}/without")
    servers = [with_backlog, without]
    with sqlite3.connect(f"{with_backlog.data}/sallyport.db", timeout=60, isolation_level=None) as database:
        try:
            for server in servers:
                server.start()
            loads = [load.operations(server, server, server.signed_in())["refresh"][0] for server in servers]
            expired = expire(database, options.backlog)
            load.say(f"{expired:,} tokens have expired, the database has {with_backlog.database():,.0f} MiB")
            pairs, seconds = watch(database, with_backlog, *loads, options.seconds, expired)
        finally:
            for server in servers:
                server.stop()
    print(f"{expired:,} expired tokens of {tokens:,} while {CONNECTIONS} connections refresh: removed in {seconds:.0f} s, medians of "
          f"{len(pairs)} pairs of turns of {options.seconds} s.\n")
    print("| refreshing | per second | p50, ms | p99, ms | processor, µs |\n|---|---|---|---|---|")
    for name, turns in zip(("without a backlog", "while it is removed"), zip(*pairs)):
        print(f"| {name} | {median_of(turns, 'rate'):,.0f} | {median_of(turns, 'p50'):.2f} | {median_of(turns, 'p99'):.2f} | {median_of(turns, 'processor'):.0f} |")
    ratios = [[b[key] / a[key] for a, b in pairs] for key in ("rate", "p50", "p99", "processor")]
    print("| ratio | " + " | ".join(f"{statistics.median(some):.2f} ({', '.join(f'{q:.2f}' for q in statistics.quantiles(some)[::2])})" for some in ratios) + " |")
    print("\nThe ratio is the median of the pairs, with the quartiles.")


def expire(database, count):
    """Sets random expiration times in the past for the tokens of some grants, so that tokens that expire one after the other are on different
    pages. Returns the number of expired tokens."""
    database.execute("CREATE TEMP TABLE chosen AS SELECT grant_id, number FROM refresh_token WHERE grant_id IN "
                     # Each grant has five tokens.
                     "(SELECT id FROM oauth_grant WHERE client_id = 'benchmark' ORDER BY id LIMIT ?)", (count // 5,))
    # In steps, so that the server can write between them and the write-ahead log stays short.
    while some := database.execute(
            "DELETE FROM chosen WHERE rowid IN (SELECT rowid FROM chosen LIMIT 5000) RETURNING grant_id, number").fetchall():
        database.execute("BEGIN IMMEDIATE")
        database.executemany("UPDATE refresh_token SET expires_at = 1 + abs(random()) % 1000000 WHERE grant_id = ? AND number = ?", some)
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return left(database)


def left(database):
    """The number of expired tokens that the server has not removed."""
    return database.execute("SELECT count(*) FROM refresh_token WHERE expires_at <= 1000001").fetchone()[0]


def watch(database, server, busy, quiet, seconds, expired):
    """Returns the pairs of turns in which tokens were removed, and the time of the removal. The time while the server was suspended does not count."""
    pairs, taken, remaining = [], 0, expired
    deadline = time.monotonic() + PATIENCE
    while remaining > 0 and time.monotonic() < deadline:
        with server.halted():
            alone = quiet.run(CONNECTIONS, seconds)
        began = time.monotonic()
        beside = busy.run(CONNECTIONS, seconds)
        now = left(database)
        if now < remaining:
            taken += time.monotonic() - began
            pairs.append((alone, beside))
            if len(pairs) % 20 == 0:
                load.say(f"{now:,} left; {beside['rate']:,.0f} a second and p99 {beside['p99']:.1f} ms, without {alone['rate']:,.0f} and {alone['p99']:.1f}")
        remaining = now
    if remaining > 0 or len(pairs) < 2:
        raise SystemExit(f"nothing to compare: {len(pairs)} pairs, {remaining:,} tokens left")
    return pairs, taken
