"""Loads the release server and this machine's limits in one run and prints the tables of docs/performance.md.

Usage: python3 Benchmarks/driver BINARIES [--seconds S] [--connections 1,8,32] [--only NAME,...] [--filled N | --soak M | --overload]
"""

import argparse
import json
import os
import subprocess
import tempfile

import commands
import endurance
import load
import machine
import report
from browser import Browser
from process import Server


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark", description="Measures the server beside this machine's limits.")
    parser.add_argument("binaries", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--connections", type=lambda text: [int(n) for n in text.split(",")], default=[1, 8, 32])
    parser.add_argument("--only", type=lambda text: text.split(","), help="operations, by name")
    parser.add_argument("--filled", type=int, metavar="N", help="instead: beside a database of N refresh tokens")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="instead: everything in turns, for so long; memory is told")
    parser.add_argument("--overload", action="store_true", help="instead: a crowd with wrong passwords, while apps refresh")
    parser.add_argument("--keep", help="a file for the figures as JSON")
    return parser.parse_args()


def main():
    options = arguments()
    for wanted, measure in ((options.filled, endurance.filled), (options.soak, endurance.soak), (options.overload, endurance.overload)):
        if wanted:
            with tempfile.TemporaryDirectory(prefix="sallyport-benchmark-", dir=".build-benchmarks") as folder:
                return measure(options, folder)
    tables(options)


def tables(options):
    results = {"machine": machine.describe(), "operations": []}
    with tempfile.TemporaryDirectory(prefix="sallyport-benchmark-", dir=".build-benchmarks") as folder:
        os.mkdir(f"{folder}/limits", 0o700)
        load.say("limits: signatures, commits, passwords")
        if not options.only:
            rates = subprocess.run([f"{options.binaries}/Limits", "rates", f"{folder}/limits"], capture_output=True, check=True)
            results["rates"] = json.loads(rates.stdout)

        server = Server.sallyportd(options.binaries, f"{folder}/data")
        limits = Server.limits(options.binaries, f"{folder}/limits")
        try:
            results["start"] = server.start(times=5)
            limits.start()
            # The person agrees once; from then on the request is answered at once.
            browser = Browser(server.port)
            browser.sign_in(browser.authorize)
            operations = load.operations(server, limits, browser)
            for name, (operation, limit) in operations.items():
                if options.only and name not in options.only:
                    continue
                for connections in options.connections:
                    # The limit before and after: what else the machine did meanwhile shows as a difference between the two.
                    before = limit.run(connections, options.seconds / 2)
                    measured = operation.run(connections, options.seconds)
                    after = limit.run(connections, options.seconds / 2)
                    result = {"name": name, "connections": connections, **measured,
                              "limit": limit.name, "limits": [before["rate"], after["rate"]],
                              "limit_processor": (before["processor"] + after["processor"]) / 2}
                    load.say(report.line(result))
                    results["operations"].append(result)
            results["memory"] = server.memory()
            if not options.only:
                results["commands"] = commands.starts(options.binaries, server, folder)
        finally:
            server.stop()
            limits.stop()
    results["load"] = machine.load()
    if options.keep:
        with open(options.keep, "w") as file:
            json.dump(results, file, indent=1)
    print(report.markdown(results))


main()
