"""Runs a cluster on this machine, and shows what its clients see when parts of it fail. Scripts/cluster runs this program."""

import argparse
import os
import signal
import sys
import tempfile

import failures
import packaging
from cluster import SERVERS, Cluster


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start a cluster")
    up.add_argument("folder", nargs="?", help="a new folder; the default is a temporary one")
    up.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    up.add_argument("--port", type=int, help="the port of the load balancer; the default is a free one")
    down = commands.add_parser("down", help="stop a cluster and remove its folder")
    down.add_argument("folder")
    restart = commands.add_parser("restart", help="stop a server as an upgrade does, and start it again")
    restart.add_argument("folder")
    restart.add_argument("server", choices=SERVERS)
    failing = commands.add_parser("failures", help="let parts of a new cluster fail while clients use it")
    failing.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    failing.add_argument("--rounds", type=int, default=1, help="how often each event happens")
    failing.add_argument("--previous", metavar="FOLDER", help="the programs of an earlier version, which the servers run before rolling-upgrade")
    failing.add_argument("--keep", action="store_true", help="keep the logs of a failed run")
    failing.add_argument("events", nargs="*", metavar="EVENT", help=", ".join(failures.EVENTS))
    check = commands.add_parser("check", help="check the files in Packaging/cluster, and that the guides quote them")
    check.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    commands.add_parser("quote", help="copy the files in Packaging/cluster into the guides that quote them")
    options = parser.parse_args()
    if unknown := set(getattr(options, "events", [])) - set(failures.EVENTS):
        parser.error(f"unknown event '{unknown.pop()}'; the events are: {', '.join(failures.EVENTS)}")
    if getattr(options, "previous", None) and (options.events != ["rolling-upgrade"] or options.rounds > 1):
        parser.error("--previous is only for one round of rolling-upgrade")
    return options


def new_folder(folder=None):
    if folder is None:
        return tempfile.mkdtemp(prefix="sallyport-cluster-", dir="/tmp")
    try:
        os.mkdir(folder)
    except OSError as error:
        raise SystemExit(f"cannot create the folder '{folder}': {error.strerror}") from None
    return folder


def up(options):
    cluster = Cluster(new_folder(options.folder))
    try:
        cluster.create(options.binaries, options.port)
        cluster.up()
    except BaseException:
        cluster.down()
        raise
    print(f"""\
issuer:    {cluster.issuer}
database:  {cluster.database_url()}
logs:      {cluster.folder}/logs

Add a user:      sallyportd user add ada --data {cluster.folder}/server1 --database '{cluster.database_url()}'
List databases:  patronictl -c {cluster.folder}/db1.yml list
End it:          Scripts/cluster down {cluster.folder}""")


def main():
    # SIGTERM raises SystemExit, so that the run stops its processes before it ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = arguments()
    if options.command in ("down", "restart") and not os.path.exists(f"{options.folder}/cluster.json"):
        raise SystemExit(f"'{options.folder}' is not the folder of a cluster")
    if options.command == "up":
        up(options)
    elif options.command == "down":
        Cluster(options.folder).down()
    elif options.command == "restart":
        Cluster(options.folder).restart_server(options.server)
    elif options.command == "check":
        packaging.check(options.binaries)
    elif options.command == "quote":
        packaging.quote()
    else:
        failures.run(options, new_folder())


main()
