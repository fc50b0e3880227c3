"""Measures how much the server's removal of many expired tokens slows down refreshes. A server has to remove many tokens at once, for example,
after it was down for a night.

Two servers run on copies of one database, and the load alternates between them. Only one server has the backlog: expired tokens that it removes
while it runs. That server is suspended while the other server is under load.
"""

import shutil
import sqlite3
import statistics
import time

import load
from filled import fill
from process import Server
from turns import median_of

# PATIENCE: if the server has not removed all expired tokens after this number of seconds, the measurement fails.
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
            # Each operation is a load and its limit, which is not needed here.
            loads = [load.operations(server, server, server.signed_in())["refresh"][0] for server in servers]
            expired = expire(database, options.backlog)
            load.say(f"{expired:,} tokens have expired, and the size of the database is {with_backlog.database():,.0f} MiB")
            pairs, seconds = watch(database, with_backlog, *loads, options.seconds, expired)
        finally:
            for server in servers:
                server.stop()
    print(f"{expired:,} expired tokens of {tokens:,} while {CONNECTIONS} connections refresh: removed in {seconds:.0f} s, medians of "
          f"{len(pairs)} pairs of turns of {options.seconds} s.\n")
    print("| refreshes | per second | p50, ms | p99, ms | processor, µs |\n|---|---|---|---|---|")
    for name, turns in zip(("without a backlog", "while the backlog is removed"), zip(*pairs)):
        print(f"| {name} | {median_of(turns, 'rate'):,.0f} | {median_of(turns, 'p50'):.2f} | {median_of(turns, 'p99'):.2f} | {median_of(turns, 'processor'):.0f} |")
    ratios = [[beside[key] / alone[key] for alone, beside in pairs] for key in ("rate", "p50", "p99", "processor")]
    print("| ratio | " + " | ".join(f"{statistics.median(some):.2f} ({', '.join(f'{q:.2f}' for q in statistics.quantiles(some)[::2])})" for some in ratios) + " |")
    print("\nEach pair of turns has a ratio: the value while the backlog is removed, divided by the value without a backlog. The table shows the "
          "median of these ratios, with the quartiles in parentheses.")


def expire(database, count):
    """Makes the tokens of some grants expire. Sets random expiration times, so that tokens with neighboring times are on different pages of the
    database. Returns the number of expired tokens."""
    database.execute("CREATE TEMP TABLE chosen AS SELECT grant_id, number FROM refresh_token WHERE grant_id IN "
                     # Each grant has five tokens.
                     "(SELECT id FROM oauth_grant WHERE client_id = 'benchmark' ORDER BY id LIMIT ?)", (count // 5,))
    # Each transaction changes at most 5,000 tokens, so that the server can write between the transactions and the
    # write-ahead log stays short.
    while some := database.execute(
            "DELETE FROM chosen WHERE rowid IN (SELECT rowid FROM chosen LIMIT 5000) RETURNING grant_id, number").fetchall():
        database.execute("BEGIN IMMEDIATE")
        # The times are 1 to 1,000,000 ms after the start of 1970.
        database.executemany("UPDATE refresh_token SET expires_at = 1 + abs(random()) % 1000000 WHERE grant_id = ? AND number = ?", some)
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return left(database)


def left(database):
    """The number of expired tokens that the server has not removed."""
    return database.execute("SELECT count(*) FROM refresh_token WHERE expires_at <= 1000001").fetchone()[0]


def watch(database, server, busy, quiet, seconds, expired):
    """Lets both servers run in turns until `server`, which has the backlog, has removed all expired tokens. `busy` is the load of `server`, and
    `quiet` the load of the other server. Returns the pairs of turns in which `server` removed tokens, and how long the removal took in seconds,
    without the time in which `server` was suspended."""
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
                load.say(f"{now:,} expired tokens left; with the backlog {beside['rate']:,.0f} a second and p99 {beside['p99']:.1f} ms, "
                         f"without a backlog {alone['rate']:,.0f} a second and p99 {alone['p99']:.1f} ms")
        remaining = now
    if remaining > 0 or len(pairs) < 2:
        raise SystemExit(f"the measurement needs two pairs of turns and no expired tokens at the end, but has {len(pairs)} pairs, and "
                         f"{remaining:,} expired tokens are left")
    return pairs, taken
