"""Makes parts of a cluster fail while clients use it, and prints what the clients have seen."""

import contextlib
import http.client
import os
import random
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

from cluster import DATABASES, PACKAGING, PINNED, SERVERS, Cluster, get, wait
from load import Client, Load, Lost, Rejected


# The events that EVENTS lists. `observe` runs each of them. An event that contains `yield` has two parts: `observe`
# runs the second part when a refresh has succeeded after the first part.


def server_killed(cluster, load):
    """A server is killed, and starts again."""
    name = random.choice(SERVERS)
    cluster.processes.kill(name)
    time.sleep(3)
    cluster.start_server(name)


def primary_killed(cluster, load):
    """The machine of the primary is lost, and the standby is promoted. Later, the lost machine returns as the standby."""
    name = cluster.primary()
    cluster.kill_database(name)
    wait("the promotion", lambda: cluster.primary() not in (None, name))
    yield
    cluster.start_database(name)


def partition(cluster, load):
    """One server cannot reach the databases for some time."""
    cluster.gateway("block", SERVERS[0])
    time.sleep(8)
    cluster.gateway("pass", SERVERS[0])


def primary_frozen(cluster, load):
    """The primary is frozen until the standby has been promoted, and then continues. From then on, a server that knows
    only the former primary must neither refresh tokens nor redeem codes."""
    name = cluster.primary()
    cluster.start_pinned_server(name)
    former = FormerPrimary(cluster, load)
    cluster.signal_database(name, signal.SIGSTOP)
    wait("the promotion", lambda: any(cluster.role(other) == "primary" for other in DATABASES if other != name))
    promoted = time.monotonic()
    time.sleep(3)
    cluster.signal_database(name, signal.SIGCONT)
    former.use(promoted, until=lambda: cluster.role(name) == "replica")
    cluster.processes.end(PINNED)


def patroni_killed(cluster, load):
    """Only Patroni fails at the primary, so PostgreSQL there still accepts writes after the standby has been promoted.
    Later, Patroni starts again."""
    name = cluster.primary()
    cluster.start_pinned_server(name)
    former = FormerPrimary(cluster, load)
    cluster.processes.kill(name)
    wait("the promotion", lambda: any(cluster.role(other) == "primary" for other in DATABASES if other != name))
    promoted = time.monotonic()
    former.use_servers(promoted)
    # Without Patroni, the former primary does not become a standby, so these requests end after a fixed time.
    former.use(promoted, until=lambda end=promoted + 12: time.monotonic() > end)
    cluster.processes.end(PINNED)
    yield
    cluster.start_database(name)


class FormerPrimary:
    """Requests to servers that may still use a database that is no longer the primary."""

    def __init__(self, cluster, load):
        self.cluster, self.load, self.ledger = cluster, load, load.ledger
        self.client = Client(load.port, load.ledger, cluster.settings["pinned"]["port"])
        # Several requests at once make the additional server open several connections to the database.
        crowd = [threading.Thread(target=self.attempt, args=[load.code]) for _ in range(4)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        self.codes = [load.code(self.client) for _ in range(3)]
        # Only the additional server, which knows only the former primary, gets requests with the tokens of this grant.
        self.tokens = load.redeem(self.client, load.code(self.client))

    def attempt(self, step):
        client = Client(self.load.port, self.ledger, self.cluster.settings["pinned"]["port"])
        with contextlib.suppress(Lost, Rejected, ValueError):
            step(client)
        client.close()

    def use(self, promoted, until):
        """Refreshes, redeems, and introspects at the server that knows only the former primary, until a condition is true, but for at most 60
        seconds."""
        began, ended = time.monotonic(), threading.Event()

        def introspect():
            client = Client(self.load.port, self.ledger, self.cluster.settings["pinned"]["port"])
            while not ended.wait(0.05):
                if self.sees_revoked(client, promoted) is not None:
                    # Until now, the server has used the former primary.
                    self.ledger.former = time.monotonic() - began
            client.close()

        thread = threading.Thread(target=introspect)
        thread.start()
        while not until() and time.monotonic() - began < 60:
            for kind, step in (("a refresh token", lambda: self.load.refreshed(self.client, dict(self.tokens), "former primary")),
                               ("a code", lambda: self.load.redeem(self.client, random.choice(self.codes)))):
                # An error response is not a fault, because the former primary does not know later changes.
                with contextlib.suppress(Lost, Rejected, ValueError):
                    step()
                    self.ledger.fault(f"a server at the former primary has accepted {kind}")
            time.sleep(0.1)
        ended.set()
        thread.join()

    def use_servers(self, promoted):
        """Introspects at each of the other servers, which must notice the promotion within two seconds."""
        clients = {name: Client(self.load.port, self.ledger, self.cluster.settings["servers"][name]["port"]) for name in SERVERS}
        while time.monotonic() < promoted + 5:
            for name, client in clients.items():
                began = time.monotonic()
                at = self.sees_revoked(client, promoted)
                if at is None:
                    continue
                self.ledger.note_stale(time.monotonic() - at)
                if began > promoted + 2 + self.ledger.lateness.since(promoted):
                    self.ledger.fault(f"{name} still uses the former primary {began - promoted:.1f} s after the promotion")
            time.sleep(0.05)

    def sees_revoked(self, client, promoted):
        """Asks a server about the last two tokens that were revoked after the promotion. If the server says that one of them is active, returns
        the time at which that token was revoked, and otherwise None."""
        with self.ledger.lock:
            revoked = [each for each in self.ledger.revoked if each[0] > promoted][-2:]
        for at, token in revoked:
            with contextlib.suppress(Lost, Rejected, ValueError):
                if self.load.is_active(client, token):
                    return at
        return None


def standby_lost(cluster, load):
    """The machine of the standby is lost, and later returns."""
    primary = cluster.primary()
    name = next(name for name in DATABASES if name != primary)
    cluster.kill_database(name)
    yield
    cluster.start_database(name)


def disk_full(cluster, load):
    """The disk of the primary is full for some time."""
    if not os.path.ismount(f"{cluster.folder}/{cluster.primary()}"):
        raise SystemExit("disk-full needs root, to mount a small disk")
    path = f"{cluster.folder}/{cluster.primary()}/filler"
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while file.write(bytes(1 << 16)):
            pass
    time.sleep(8)
    os.remove(path)


def connection_storm(cluster, load):
    """The databases are unreachable while 200 more clients connect, and then reachable again."""
    cluster.gateway("block", *SERVERS)
    end = threading.Event()
    crowd = [threading.Thread(target=introspect_until, args=[load, end], daemon=True) for _ in range(200)]
    for thread in crowd:
        thread.start()
    time.sleep(5)
    cluster.gateway("pass", *SERVERS)
    yield
    end.set()
    for thread in crowd:
        thread.join(20)
    connections = int(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sallyport'"))
    # Each server has at most 18 connections to the primary: 16 for requests, one that watches the configuration, and
    # one that watches for promotions.
    if connections > len(SERVERS) * 18:
        load.ledger.fault(f"{connections} connections to the database")


def introspect_until(load, end):
    """Introspects about once a second, which is the interval that Retry-After specifies."""
    client = Client(load.port, load.ledger)
    while not end.wait(random.uniform(0.5, 1.5)):
        with contextlib.suppress(Lost, Rejected, IndexError, StopIteration):
            load.is_active(client, next(iter(load.ledger.chains.values()))["access_token"])
    client.close()


def slow_network(cluster, load):
    """Each round trip to the databases takes 200 ms longer."""
    cluster.gateway("0.2", *SERVERS)
    time.sleep(8)
    cluster.gateway("pass", *SERVERS)


def rolling_upgrade(cluster, load):
    """The script Packaging/cluster/rolling-upgrade replaces all servers, one after the other. No request may fail."""
    cluster.upgrade()
    load.ledger.resends = True
    before = {name: cluster.processes.identifier(name) for name in SERVERS}
    try:
        run_packaged(cluster, "rolling-upgrade", os.devnull, *SERVERS)
    finally:
        load.ledger.resends = False
    if kept := [name for name in SERVERS if cluster.processes.identifier(name) in (None, before[name])]:
        load.ledger.fault(f"the script has not replaced {', '.join(kept)}")
    if load.ledger.lost or load.ledger.rejected:
        load.ledger.fault(f"{load.ledger.lost} requests were lost, and {load.ledger.rejected} rejected, during a rolling upgrade")


def failover_drill(cluster, load):
    """The script Packaging/cluster/failover-drill promotes the standby."""
    before = cluster.primary()
    urls = [f"http://127.0.0.1:{ports['metrics']}/readyz" for ports in cluster.settings["servers"].values()]
    run_packaged(cluster, "failover-drill", f"{cluster.folder}/{before}.yml", *urls)
    wait("the promotion", lambda: cluster.primary() not in (None, before))


def run_packaged(cluster, name, *words):
    """Runs a script of Packaging/cluster. A program that restarts a server of this cluster takes the place of ssh, and
    curl connects to this machine instead of the servers that the script names."""
    os.makedirs(f"{cluster.folder}/bin", exist_ok=True)
    program = shlex.join([sys.executable, os.path.dirname(os.path.abspath(__file__)), "restart", cluster.folder])
    cluster.write("bin/ssh", f'#!/bin/sh\ncase $2 in cat*) cat >/dev/null ;; *apt-get*) exec {program} "$1" ;; *) exit 1 ;; esac\n')
    os.chmod(f"{cluster.folder}/bin/ssh", 0o700)
    cluster.write(".curlrc", "".join(f'connect-to = "{server}:9464:127.0.0.1:{ports["metrics"]}"\n'
                                     for server, ports in cluster.settings["servers"].items()))
    done = subprocess.run(["bash", f"{PACKAGING}/{name}", *words], capture_output=True, text=True, check=False, timeout=300, cwd="/",
                          env=os.environ | {"PATH": f"{cluster.folder}/bin:{os.environ['PATH']}", "CURL_HOME": cluster.folder})
    if done.returncode != 0:
        raise SystemExit(f"{name}: {done.stdout}{done.stderr}")


EVENTS = {function.__name__.replace("_", "-"): function for function in (
    server_killed, primary_killed, patroni_killed, partition, primary_frozen, standby_lost, disk_full, connection_storm, slow_network, rolling_upgrade,
    failover_drill)}


class Prober:
    """Writes to both databases continuously, to find out when one of them is available."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.successes = []
        cluster.sql("CREATE TABLE public.probe (text TEXT)")
        for name in DATABASES:
            threading.Thread(target=self.run, args=[name], daemon=True).start()

    def clear(self):
        """Removes the rows, so that they do not fill the disk."""
        self.cluster.sql("TRUNCATE public.probe", name=self.cluster.primary())

    def run(self, name):
        while True:
            began = time.monotonic()
            # If the timeout ends the wait for the standby, PostgreSQL reports a success with a warning. A write that
            # took a second or longer therefore does not count as a success.
            with contextlib.suppress(Exception):
                self.cluster.sql("SET statement_timeout = '1s'; SET client_min_messages = error; "
                                 "INSERT INTO probe SELECT repeat('0', 1000) FROM generate_series(1, 20)", name=name, timeout=5)
                if time.monotonic() - began < 1:
                    self.successes.append(time.monotonic())
            time.sleep(0.2)

    def outages(self, since):
        """The outages of the database: the times without a successful write that were longer than a second, each with its start and end."""
        times = [since, *sorted(at for at in list(self.successes) if at > since)]
        return [(earlier, later) for earlier, later in zip(times, times[1:]) if later - earlier > 1]

    def back(self, since):
        """When the database was available again: the end of its longest outage, or `since` if there was none."""
        return max(self.outages(since), key=lambda outage: outage[1] - outage[0], default=(since, since))[1]


class Sampler:
    """Reads the readiness of each server all the time, and refreshes at servers that are ready."""

    # For how long readiness may be wrong, in seconds.
    tolerance = 3

    def __init__(self, cluster, load):
        self.cluster, self.load = cluster, load
        # The times at which each server said that it was ready.
        self.ready = {name: [] for name in SERVERS}
        for name in SERVERS:
            threading.Thread(target=self.run, args=[name], daemon=True).start()

    def run(self, name):
        ports, ledger = self.cluster.settings["servers"][name], self.load.ledger
        client = Client(self.load.port, ledger, ports["port"])
        # `failing` is the time since which the server has rejected all requests while it said that it was ready.
        tokens = failing = None
        while not self.load.ending.wait(0.1):
            began = time.monotonic()
            try:
                is_ready = get(ports["metrics"], "/readyz")[0] == 200
            except (OSError, http.client.HTTPException):
                is_ready = False
            if not is_ready:
                failing = None
                continue
            self.ready[name].append(began)
            try:
                tokens = self.load.refreshed(client, tokens or self.load.redeem(client, self.load.code(client)), name)
                failing = None
            except (Lost, Rejected):
                failing = failing or began
                if time.monotonic() - failing > self.tolerance + ledger.lateness.since(failing):
                    ledger.fault(f"{name} says that it is ready, but has rejected requests for {time.monotonic() - failing:.1f} s")
                    failing = None
            except ValueError as error:
                ledger.fault(f"{name}: {error}")
                tokens = None

    def check(self, outages):
        """Notes a fault for each server that said it was ready during an outage of the database."""
        ledger = self.load.ledger
        for begin, end in outages:
            # The database may have been available for up to 1.5 s before the write that ends the outage.
            begin += self.tolerance + ledger.lateness.since(begin)
            for name, times in self.ready.items():
                if wrong := [at for at in times if begin < at < end - 1.5]:
                    ledger.fault(f"{name} said {len(wrong)} times that it was ready during an outage of the database")


def observe(cluster, load, prober, sampler, event):
    """Runs an event, and returns the numbers for the table."""
    ledger = load.ledger
    prober.clear()
    ledger.reset()
    codes = list(ledger.codes)
    began = time.monotonic()
    # A generator if the event contains `yield`, and otherwise None.
    rest = event(cluster, load)
    if rest:
        next(rest)
    # Refreshes count only from one second after the event, because responses to earlier requests may still arrive.
    happened = time.monotonic() + 1
    wait("a refresh", lambda: ledger.first("refresh", happened), timeout=120)
    load.check_codes(codes)
    time.sleep(3)
    if rest:
        with contextlib.suppress(StopIteration):
            next(rest)
    wait("all servers to be ready", lambda: all(map(cluster.is_ready, SERVERS)), timeout=120)
    wait("a synchronous standby", cluster.is_replicated, timeout=180)
    until = time.monotonic()
    wait("every kind of request to succeed", lambda: all(
        ledger.first(kind, until) for kind in ("refresh", "sign-in", "introspection", "metadata", "double redemption", "double refresh")), timeout=60)
    back = prober.back(began)
    load.check_grants()
    first = ledger.first("refresh", back) or time.monotonic()
    recovery = first - back if back > began else 0
    if recovery > 5 + ledger.lateness.since(back):
        ledger.fault(f"the first refresh succeeded {recovery:.1f} s after the database was back")
    sampler.check(prober.outages(began))
    return {"outage": ledger.gap("refresh", began, until), "recovery": recovery, "slowest": ledger.slowest,
            "rejected": ledger.rejected, "lost": ledger.lost, "resent": ledger.resent, "staleness": ledger.staleness,
            "former": ledger.former, "faults": list(ledger.faults)}


def row(name, results):
    def spread(key):
        values = [result[key] for result in results]
        return f"{statistics.median(values):.1f} ({max(values):.1f})"

    return (f"| {name} | {len(results)} | {spread('outage')} | {spread('recovery')} | {spread('slowest')} "
            f"| {sum(result['rejected'] for result in results)} | {sum(result['lost'] for result in results)} | {spread('staleness')} "
            f"| {spread('former')} | {sum(len(result['faults']) for result in results)} |")


def run(options, folder):
    cluster = Cluster(folder)
    cluster.create(options.binaries, gateways=True, previous=options.previous)
    results, failed = {}, False
    try:
        cluster.up()
        load = Load(cluster)
        load.start()
        prober = Prober(cluster)
        sampler = Sampler(cluster, load)
        wait("the first responses", lambda: load.ledger.first("refresh", 0) and load.ledger.first("introspection", 0))
        for number in range(options.rounds):
            for name in options.events or EVENTS:
                time.sleep(2)
                results.setdefault(name, []).append(observe(cluster, load, prober, sampler, EVENTS[name]))
                latest = results[name][-1]
                print(f"{name}, round {number + 1}: {latest}", file=sys.stderr, flush=True)
                failed = failed or bool(latest["faults"])
        load.end()
    except BaseException:
        failed = True
        raise
    finally:
        if failed and options.keep:
            shutil.copytree(f"{folder}/logs", f"{folder}-logs")
            print(f"logs: {folder}-logs", file=sys.stderr)
        cluster.down()
        if results:
            print_table(results)
    if failed:
        raise SystemExit("clients have seen faults")


def print_table(results):
    print("Times are in seconds: the median, and the maximum in parentheses.\n")
    print("| event | rounds | longest time without a refresh | until the first refresh after the database is back | slowest 503 | 503 "
          "| lost | stale introspection | stale at the former primary | faults |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, each in results.items():
        print(row(name, each))
