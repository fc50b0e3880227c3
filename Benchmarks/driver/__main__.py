"""Loads the release server and this machine's limits in one run and prints the tables of docs/performance.md.

Usage: python3 Benchmarks/driver BINARIES [--turns N] [--seconds S] [--connections 1,8,32] [--only NAME,...]
                                          [--filled N | --backlog N | --soak MINUTES [--rate N] | --overload]
"""

import argparse
import tempfile

import backlog
import filled
import overload
import soak
import table


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark", description="Measures the server beside this machine's limits.")
    parser.add_argument("binaries", help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=int, default=5, help="of each measurement; the limit has one more")
    parser.add_argument("--seconds", type=int, default=1, help="of each turn")
    parser.add_argument("--connections", type=lambda text: [int(n) for n in text.split(",")], default=[1, 8, 32])
    parser.add_argument("--only", type=lambda text: text.split(","), help="operations, by name")
    parser.add_argument("--folder", default=".build-benchmarks", help="where the databases are written, and removed afterwards")
    parser.add_argument("--keep", help="a file for the figures as JSON")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--filled", type=int, metavar="N", help="instead: beside a database of N refresh tokens")
    instead.add_argument("--backlog", type=int, metavar="N", help="instead: N tokens expire at once, while apps refresh")
    instead.add_argument("--soak", type=float, metavar="MINUTES", help="instead: everything by turns, for so long; memory is told")
    instead.add_argument("--overload", action="store_true", help="instead: floods, while apps refresh and people sign in")
    parser.add_argument("--rate", type=int, metavar="N", help="with --soak: no more than so many requests in a second")
    return parser.parse_args()


def main():
    options = arguments()
    modes = [(options.filled, filled), (options.backlog, backlog), (options.soak, soak), (options.overload, overload)]
    mode = next((mode for wanted, mode in modes if wanted), table)
    with tempfile.TemporaryDirectory(prefix="sallyport-benchmark-", dir=options.folder) as folder:
        mode.measure(options, folder)


main()
