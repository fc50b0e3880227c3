"""An empty and a full database, loaded by turns: does cost grow with the table?"""

import os
import statistics
import subprocess
import time

import load
from process import Server
from turns import alternating, middle


def measure(options, folder):
    empty, full = (Server.sallyportd(options.binaries, f"{folder}/{name}") for name in ("empty", "full"))
    fill(options.binaries, full, options.filled)
    lines = [f"{options.filled:,} refresh tokens, a database of {full.database():,.0f} MiB.", "",
             "| operation | connections | empty: per second | full | ratio | empty: p99, ms | full | empty: processor, µs | full |",
             "|---|---|---|---|---|---|---|---|---|"]
    try:
        for server in (empty, full):
            server.start()
        loads = [load.operations(server, empty, server.signed_in()) for server in (empty, full)]
        for name in options.only or ("code flow", "refresh", "userinfo"):
            for connections in options.connections:
                pair = [operations[name][0] for operations in loads]
                lines.append(compared(name, connections, *alternating(pair, connections, options.seconds, options.turns)))
                load.say(lines[-1])
        lines += ["", f"Memory, highest under load: empty {empty.peak:.0f} MiB, full {full.peak:.0f} MiB."]
    finally:
        empty.stop()
        full.stop()
    print("\n".join(lines))


def fill(binaries, server, tokens):
    load.say(f"writes {tokens:,} refresh tokens")
    began = time.monotonic()
    subprocess.run([f"{binaries}/Limits", "fill", f"{server.data}/sallyport.db", "benchmark", str(tokens)], check=True)
    # What the system still has to write of it would be written under the turns.
    os.sync()
    load.say(f"written in {time.monotonic() - began:.0f} s, {server.database():,.0f} MiB")


def compared(name, connections, empty, full):
    ratio = statistics.median(f["rate"] / e["rate"] for e, f in zip(empty, full))
    return (f"| {name} | {connections} | {middle(empty, 'rate'):,.0f} | {middle(full, 'rate'):,.0f} | {ratio:.2f} "
            f"| {middle(empty, 'p99'):.2f} | {middle(full, 'p99'):.2f} | {middle(empty, 'processor'):.0f} | {middle(full, 'processor'):.0f} |")
