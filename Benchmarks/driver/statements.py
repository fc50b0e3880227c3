"""Compares ways to send the statements of a refresh to PostgreSQL: one after the other, in a pipeline, as one statement, and as a function."""

from statistics import median

import load
from postgres import Postgres

VARIANTS = ("sequential", "pipelined", "cte", "function")


def measure(options, folder):
    postgres = Postgres(folder)
    lines = ["| connections | " + " | ".join(f"{name}: per second" for name in VARIANTS) + " |", "|---" * (len(VARIANTS) + 1) + "|"]
    first = 0
    try:
        postgres.prepare_pgbench()
        for connections in options.connections:
            rates = {name: [] for name in VARIANTS}
            for _ in range(options.turns):
                for name, turns in rates.items():
                    # Each turn uses tokens whose numbers start at `first`, and no other turn uses these numbers.
                    first += 10_000_000
                    turns.append(postgres.pgbench(connections, options.seconds, f"refresh-{name}", [f"number={first}"]))
            lines.append(f"| {connections} | " + " | ".join(f"{median(turns):,.0f}" for turns in rates.values()) + " |")
            load.say(lines[-1])
    finally:
        postgres.stop()
    print(f"pgbench, medians of {options.turns} turns of {options.seconds} s, serializable transactions.\n")
    print("\n".join(lines))
