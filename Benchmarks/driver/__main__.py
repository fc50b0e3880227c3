"""Measures the release server and the limits of this machine, and prints the tables of docs/performance.md.

Usage: python3 Benchmarks/driver BINARIES [--turns N] [--seconds S] [--connections 1,8,32] [--only NAME,...]
                                          [--store postgres]
                                          [--against BINARIES | --filled N | --backlog N | --soak MINUTES [--rate N] | --overload | --servers N
                                          | --tls | --sessions N | --sign-ins | --statements | --bloat MINUTES [--rate N]]
"""

import argparse
import tempfile

import backlog
import bloat
import compare
import filled
import overload
import servers
import sessions
import sign_ins
import soak
import statements
import table
import tls


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark", description="Measures the server, and compares it with the limits of this machine.")
    parser.add_argument("binaries", help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=int, default=5, help="number of turns of each measurement; its limit on this machine is measured in one more turn")
    parser.add_argument("--seconds", type=int, default=1, help="length of a turn")
    parser.add_argument("--connections", type=lambda text: [int(n) for n in text.split(",")], default=[1, 8, 32])
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of the operations to measure, separated by commas")
    parser.add_argument("--folder", default=".build-benchmarks", help="folder for the databases, which are removed afterward")
    parser.add_argument("--keep", help="file to write the results to, as JSON")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite", help="the database for the table of all operations")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--against", metavar="BINARIES", help="instead, compare with the server in this folder, which another checkout built")
    instead.add_argument("--filled", type=int, metavar="N", help="instead, compare a small database with a database of N refresh tokens")
    instead.add_argument("--backlog", type=int, metavar="N", help="instead, let N tokens expire at once while apps refresh")
    instead.add_argument("--soak", type=float, metavar="MINUTES", help="instead, run several operations in turns for this long, and print the memory use")
    instead.add_argument("--overload", action="store_true", help="instead, flood the server while apps refresh and users sign in")
    instead.add_argument("--servers", type=int, metavar="N", help="instead, refresh at 1 to N servers on one PostgreSQL database, each with a part of a core")
    instead.add_argument("--tls", action="store_true", help="instead, compare requests over TLS 1.3 with requests without TLS and with OpenSSL's handshakes")
    instead.add_argument("--sessions", type=int, metavar="N", help="instead, compare a small PostgreSQL database with a database of N live sessions")
    instead.add_argument("--sign-ins", action="store_true", help="instead, compare sign-ins with a passkey and with a password")
    instead.add_argument("--statements", action="store_true", help="instead, compare ways to send the statements of a refresh to PostgreSQL")
    instead.add_argument("--bloat", type=float, metavar="MINUTES", help="instead, add and remove rows in PostgreSQL for this long, and print the unused space")
    parser.add_argument("--rate", type=int, metavar="N", help="with --soak and --bloat: at most N requests per second")
    options = parser.parse_args()
    if options.store != "sqlite" and (options.against or options.filled or options.backlog or options.soak or options.overload
                                       or options.servers or options.tls or options.sessions or options.sign_ins or options.statements or options.bloat):
        parser.error("--store postgres cannot be combined with another measurement")
    return options


def main():
    options = arguments()
    modes = [(options.against, compare), (options.filled, filled), (options.backlog, backlog), (options.soak, soak), (options.overload, overload),
             (options.servers, servers), (options.tls, tls), (options.sessions, sessions),
             (options.sign_ins, sign_ins), (options.statements, statements), (options.bloat, bloat)]
    mode = next((mode for wanted, mode in modes if wanted), table)
    with tempfile.TemporaryDirectory(prefix="sallyport-benchmark-", dir=options.folder) as folder:
        mode.measure(options, folder)


main()
