"""Measures whether millions of live sessions in PostgreSQL make requests slower. Sends requests alternately to a server whose database is small and to a
server whose database has these sessions. Meanwhile, the servers remove expired rows, and PostgreSQL runs autovacuum."""

import hashlib
import subprocess
import time

import load
from filled import KNOWN, SMALL, comparison, opaque_token
from postgres import Postgres, here
from process import Server
from turns import alternating

OPERATIONS = ("refresh", "code flow", "introspection")
# With PostgreSQL's defaults, autovacuum would not run during a measurement, because it waits until a fifth of a table
# has changed.
AUTOVACUUM = ("autovacuum_naptime=5s", "autovacuum_vacuum_scale_factor=0", "autovacuum_vacuum_threshold=1000",
              "autovacuum_vacuum_insert_scale_factor=0", "autovacuum_vacuum_insert_threshold=1000",
              "autovacuum_analyze_scale_factor=0", "autovacuum_analyze_threshold=1000")


def measure(options, folder):
    if options.sessions < SMALL:
        raise SystemExit(f"--sessions must be at least {SMALL:,}, the size of the database that it is compared with")
    postgres = Postgres(folder, AUTOVACUUM)
    servers = []
    try:
        for name, sessions in (("small", SMALL), ("filled", options.sessions)):
            url = postgres.create(name)
            server = Server.sallyportd(options.binaries, f"{folder}/{name}", database=url)
            server.postgres = postgres
            servers.append((server, fill(postgres, name, sessions, f"{folder}/{name}.tokens")))
        size = int(postgres.sql("SELECT pg_database_size('filled')")) / 2**20
        lines = [f"{options.sessions:,} live sessions, a database of {size:,.0f} MiB, compared with {SMALL:,} sessions. Medians of {options.turns} "
                 f"pairs of turns of {options.seconds} s.", "",
                 "| operation | connections | small: per second | full | ratio | small: p99, ms | full | small: processor, µs | full |",
                 "|---|---|---|---|---|---|---|---|---|"]
        loads = []
        for server, known in servers:
            server.start()
            browser = server.signed_in()
            loads.append(load.operations(server, server, browser, server.sessions(max(options.connections)), known))
        for name in options.only or OPERATIONS:
            for connections in options.connections:
                lines.append(comparison(name, connections, *alternating([each[name][0] for each in loads], connections, options.seconds,
                                                                      options.turns)))
                load.say(lines[-1])
        lines += ["", "Meanwhile in the full database: " + activity(postgres, "filled")]
    finally:
        for server, _ in servers:
            server.stop()
        postgres.stop()
    print("\n".join(lines))


def fill(postgres, database, sessions, file):
    """Fills a database whose schema exists. Writes KNOWN of its valid refresh tokens, which are spread over the database, to `file`, and returns
    `file`."""
    load.say(f"writing {sessions:,} sessions")
    began = time.monotonic()
    secrets = [opaque_token("slp_rt_") for _ in range(KNOWN)]
    fingerprints = "".join(f"{hashlib.sha256(secret.encode()).hexdigest()}\n" for secret in secrets)
    with open(f"{here}/../pgbench/sessions.sql") as script:
        text = script.read()
    with open(f"{postgres.folder}/sessions.sql", "w") as copy:
        copy.write(text)
    done = subprocess.run(
        [*postgres.owner, f"{postgres.programs}/psql", "-XqtA", f"--host={postgres.folder}", "--username=postgres",
         f"--variable=sessions={sessions}", f"--file={postgres.folder}/sessions.sql", database],
        input=fingerprints, capture_output=True, text=True, cwd="/", check=False)
    if done.returncode != 0:
        raise SystemExit(f"the database cannot be filled: {done.stderr}")
    postgres.sql("VACUUM (ANALYZE)", database)
    postgres.sql("CHECKPOINT")
    # The script prints the identifier of each known token, which ends with the token's number in its grant.
    identifiers = [line for line in done.stdout.splitlines() if line.endswith("~1")]
    with open(file, "w") as output:
        output.writelines(f"{secret}.{identifier}\n" for secret, identifier in zip(secrets, identifiers, strict=True))
    load.say(f"written in {time.monotonic() - began:.0f} s")
    return file


def activity(postgres, database):
    """What the server and autovacuum have done since the database was filled."""
    removed, vacuums = postgres.sql(
        "SELECT sum(n_tup_del), sum(autovacuum_count) FROM pg_stat_user_tables WHERE schemaname = 'sallyport'", database).strip().split("|")
    return f"{int(removed):,} removed rows, {int(vacuums):,} runs of autovacuum."
