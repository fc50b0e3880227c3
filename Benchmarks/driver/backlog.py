"""Many rows expire at once, as after a night without the server, while apps refresh: is their removal felt?"""

import sqlite3
import time

import load
from filled import fill
from process import Server
from turns import middle

CONNECTIONS, QUIET_TURNS, PATIENCE = 8, 12, 1_200


def measure(options, folder):
    server = Server.sallyportd(options.binaries, f"{folder}/data")
    fill(options.binaries, server, 2 * options.backlog)
    with sqlite3.connect(f"{server.data}/sallyport.db", timeout=60, isolation_level=None) as database:
        try:
            server.start()
            refresh = load.operations(server, server, server.signed_in())["refresh"][0]
            due = expire(database, options.backlog)
            load.say(f"{due:,} tokens have expired, the database has {server.database():,.0f} MiB")
            before, during, after, seconds = watch(database, refresh, options.seconds, due)
        finally:
            server.stop()
    print(f"{due:,} expired tokens of {2 * options.backlog:,} beside {CONNECTIONS} connections that refresh; removed in {seconds:.0f} s.\n")
    print("| | turns | per second | lowest | p50, ms | p99, ms | highest | processor, µs |\n|---|---|---|---|---|---|---|---|")
    for name, turns in (("before", before), ("while they are removed", during), ("after", after)):
        print(row(name, turns))


def expire(database, count):
    """Lets the tokens of whole grants expire, each at a moment of its own: rows that expire one after the other lie on different pages."""
    database.execute("CREATE TEMP TABLE chosen AS SELECT fingerprint FROM refresh_token WHERE grant_id IN "
                     "(SELECT id FROM oauth_grant WHERE client_id = 'benchmark' ORDER BY id LIMIT ?)", (count // 5,))
    # In steps, so that the server can write between them and the write-ahead log stays short.
    while True:
        some = [row[0] for row in database.execute("DELETE FROM chosen WHERE rowid IN (SELECT rowid FROM chosen LIMIT 5000) RETURNING fingerprint")]
        if not some:
            break
        database.execute("BEGIN IMMEDIATE")
        database.executemany("UPDATE refresh_token SET expires_at = 1 + abs(random()) % 1000000 WHERE fingerprint = ?", [(one,) for one in some])
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return left(database)


def left(database):
    return database.execute("SELECT count(*) FROM refresh_token WHERE expires_at <= 1000001").fetchone()[0]


def watch(database, refresh, seconds, due):
    """Turns of refreshing, told apart by whether tokens vanished in them."""
    before, during, after, began, ended = [], [], [], None, None
    deadline = time.monotonic() + PATIENCE
    remaining = due
    while len(after) < QUIET_TURNS and time.monotonic() < deadline:
        started = time.monotonic()
        turn = refresh.run(CONNECTIONS, seconds)
        now = left(database)
        if now == 0 and remaining == 0:
            after.append(turn)
        elif now < remaining:
            began = began or started
            ended = time.monotonic()
            during.append(turn)
            if len(during) % 20 == 0:
                load.say(f"{now:,} left; {turn['rate']:,.0f} a second, p99 {turn['p99']:.1f} ms")
        else:
            before.append(turn)
        remaining = now
    if not during or not before or not after:
        raise SystemExit(f"nothing to compare: {len(before)} turns before, {len(during)} during, {len(after)} after; {remaining:,} tokens left")
    return before, during, after, ended - began


def row(name, turns):
    return (f"| {name} | {len(turns)} | {middle(turns, 'rate'):,.0f} | {min(turn['rate'] for turn in turns):,.0f} | {middle(turns, 'p50'):.2f} "
            f"| {middle(turns, 'p99'):.2f} | {max(turn['p99'] for turn in turns):.2f} | {middle(turns, 'processor'):.0f} |")
