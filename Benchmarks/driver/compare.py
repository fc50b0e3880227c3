"""Compares this build with another build of the server, for example an earlier commit. Prints a ratio for each operation.

Both servers run at the same time on new databases and are loaded in turns, so that other load on the machine affects both equally.
"""

from statistics import median

import load
from process import Server
from turns import alternating, median_of


def measure(options, folder):
    servers = [Server.sallyportd(options.against, f"{folder}/other"), Server.sallyportd(options.binaries, f"{folder}/this")]
    rows = []
    try:
        for server in servers:
            server.start()
        # This comparison does not measure limits, so the server is passed in place of the server with the bare routes.
        operations = [load.operations(server, server, server.signed_in()) for server in servers]
        for name in operations[0]:
            if options.only and name not in options.only:
                continue
            loads = [choice[name][0] for choice in operations]
            for connections in options.connections:
                rows.append(row(name, connections, *alternating(loads, connections, options.seconds, options.turns)))
                load.say(rows[-1])
    finally:
        for server in servers:
            server.stop()
    print(f"Medians of {options.turns} pairs of turns of {options.seconds} s, {options.against} against {options.binaries}. "
          "Each ratio is the median of the ratios of the pairs. The quartiles of the ratio of the rates are in parentheses.\n")
    print("| operation | connections | other, per second | this, per second | ratio of the rates | ratio of processor time |\n"
          "|---|---|---|---|---|---|")
    print("\n".join(rows))


def row(name, connections, other, this):
    rates = sorted(new["rate"] / old["rate"] for old, new in zip(other, this))
    times = [new["processor"] / old["processor"] for old, new in zip(other, this)]
    low, high = rates[len(rates) // 4], rates[len(rates) * 3 // 4]
    return (f"| {name} | {connections} | {median_of(other, 'rate'):,.0f} | {median_of(this, 'rate'):,.0f} "
            f"| {median(rates):.2f} ({low:.2f}–{high:.2f}) | {median(times):.2f} |")
