"""Loads the release server and this machine's limits in one run and prints the tables of docs/performance.md.

Usage: python3 Benchmarks/driver BINARIES [--seconds S] [--connections 1,8,32] [--only NAME,...]
"""

import argparse
import json
import os
import subprocess
import tempfile

import commands
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
    parser.add_argument("--keep", help="a file for the figures as JSON")
    return parser.parse_args()


def main():
    options = arguments()
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
