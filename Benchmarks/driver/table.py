"""Measures every operation in turns with its limit, which is the same work on a bare server (see load.py). Also measures how many signatures,
commits, and password checks the machine can do, and how long `sallyport token` takes."""

import json
import os
import statistics
import subprocess

import commands
import filled
import load
import machine
import report
import turns
from postgres import Postgres
from process import Server


# The number of refresh tokens in the PostgreSQL database. BareServer.swift writes as many to its database.
TOKENS = 200_000


def measure(options, folder):
    results = {"machine": machine.describe(), "turns": options.turns, "seconds": options.seconds, "operations": [],
               "store": options.store}
    os.mkdir(f"{folder}/limits", 0o700)
    if not options.only:
        load.say("limits: signatures, commits, passwords")
        rates = subprocess.run([f"{options.binaries}/Limits", "rates", f"{folder}/limits"], capture_output=True, check=True)
        results["rates"] = json.loads(rates.stdout)

    postgres = Postgres(folder) if options.store == "postgres" else None
    urls = [postgres.create(name) if postgres else None for name in ("sallyport", "bare")]
    server = Server.sallyportd(options.binaries, f"{folder}/data", database=urls[0])
    limits = Server.limits(options.binaries, f"{folder}/limits", urls[1])
    server.postgres = limits.postgres = postgres
    try:
        known = None
        if postgres:
            postgres.prepare_pgbench()
            # In a small database, transactions would conflict more often than in practice.
            known = filled.fill(options.binaries, server, TOKENS, urls[0])
            postgres.sql("ANALYZE", "sallyport")
        results["start"] = server.start(times=5)
        limits.start()
        sessions = server.sessions(max(options.connections)) if postgres else None
        for name, (operation, limit) in load.operations(server, limits, server.signed_in(), sessions, known).items():
            if options.only and name not in options.only:
                continue
            for connections in options.connections:
                result = turns.beside_limit(operation, limit, connections, options.seconds, options.turns)
                if postgres and name == "refresh":
                    result["pgbench"] = statistics.median(postgres.pgbench(connections, options.seconds) for _ in range(3))
                load.say(report.line(result))
                results["operations"].append(result)
        results["memory"] = server.memory()
        if not options.only and not postgres:
            results["commands"] = commands.starts(options.binaries, server, folder)
    finally:
        server.stop()
        limits.stop()
        if postgres:
            postgres.stop()
    results["load"] = machine.load()
    if options.keep:
        with open(options.keep, "w") as file:
            json.dump(results, file, indent=1)
    print(report.markdown(results))
