"""Measures refreshes by one, two, and more servers that share one PostgreSQL database, and compares the rates with a simulation. Each server
may use only a part of a core."""

import os
import resource
import shutil
import statistics
import threading

import filled
import load
import simulation
from postgres import Postgres
from process import Server
from table import TOKENS

# The connections of the load generator to each server, and the part of a core that each server may use.
CONNECTIONS, SHARE = 8, 0.2
# The assumptions of the prediction: the cores and connections of each server, the cores of each database, the time of a
# round trip to the database, and the time of a write of the database's log with a synchronous standby. The times are in
# seconds.
NODE_CORES, NODE_CONNECTIONS, DATABASE_CORES, NETWORK, FLUSH = 4, 32, 32, 0.0003, 0.001


class Slice:
    """A cgroup that limits the processor time of a process. Needs root."""

    def __init__(self, name, share):
        """`share` is the part of a core that the process may use."""
        # Whether the machine uses version 2 of cgroups.
        unified = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
        self.path = f"/sys/fs/cgroup/{'' if unified else 'cpu/'}{name}"
        period = 10_000  # microseconds
        try:
            if unified:
                self._write("/sys/fs/cgroup/cgroup.subtree_control", "+cpu")
            os.mkdir(self.path)
            if unified:
                self._write(f"{self.path}/cpu.max", f"{round(share * period)} {period}")
            else:
                self._write(f"{self.path}/cpu.cfs_period_us", str(period))
                self._write(f"{self.path}/cpu.cfs_quota_us", str(round(share * period)))
        except OSError as error:
            raise SystemExit(f"cannot limit the processor time with the cgroup {self.path}: {error.strerror}") from None

    def confine(self, pid):
        self._write(f"{self.path}/cgroup.procs", str(pid))

    def remove(self):
        os.rmdir(self.path)

    @staticmethod
    def _write(path, text):
        with open(path, "w") as file:
            file.write(text)


def measure(options, folder):
    postgres = Postgres(folder)
    url = postgres.create("sallyport")
    first = Server.sallyportd(options.binaries, f"{folder}/data1", database=url)
    servers, slices = [first], []
    try:
        tokens_file = filled.fill(options.binaries, first, TOKENS, url)
        postgres.sql("ANALYZE", "sallyport")
        flush = postgres.flush_time()
        for number in range(2, options.servers + 1):
            # All servers need the same key file.
            os.mkdir(f"{folder}/data{number}", 0o700)
            shutil.copy(f"{folder}/data1/key", f"{folder}/data{number}/key")
            servers.append(Server.for_data(options.binaries, f"{folder}/data{number}", "--issuer", f"http://localhost:{first.port}",
                                       database=url))
        for number, server in enumerate(servers):
            server.postgres = postgres
            server.start()
            slices.append(Slice(f"sallyport-benchmark-{os.getpid()}-{number}", SHARE))
        form = first.signed_in().refresh_form
        for server, each in zip(servers, slices):
            each.confine(server.process.pid)
        refreshes = [Refreshes(server, form, f"{tokens_file}.{number}") for number, server in enumerate(servers)]
        share_tokens(tokens_file, refreshes)
        measured = []
        for count in range(1, len(servers) + 1):
            turns = [together(refreshes[:count], postgres, options.seconds) for _ in range(options.turns)]
            measured.append({key: statistics.median(turn[key] for turn in turns) for key in turns[0]})
            load.say(f"{count} servers: {measured[-1]['rate']:,.0f} per second")
    finally:
        for server in servers:
            server.stop()
        for each in slices:
            each.remove()
        postgres.stop()
    print("\n".join(report(measured, flush, options)))


class Refreshes:
    """Refreshes at one server, with tokens that no other server gets."""

    def __init__(self, server, form, file):
        self.load = load.Load("refresh", server, "refresh-many.lua", lambda connections: ["/token", form, str(connections), file])
        self.file = file


def share_tokens(tokens_file, refreshes):
    """Distributes the tokens to the files of the servers."""
    with open(tokens_file) as file:
        lines = file.readlines()
    for number, each in enumerate(refreshes):
        with open(each.file, "w") as file:
            file.writelines(lines[number::len(refreshes)])


def together(refreshes, postgres, seconds):
    """Refreshes at all servers at the same time. Returns the sum of their rates per second, the highest p99 of a server, and the processor
    time that one refresh takes in the server, in the database, and in the load generator. All times are in seconds."""
    results = []
    threads = [threading.Thread(target=lambda each=each: results.append(each.load.run(CONNECTIONS, seconds))) for each in refreshes]
    before, clients = postgres.processor_seconds(), children()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = sum(result["rate"] for result in results)
    operations = max(rate * seconds, 1)
    return {"rate": rate, "p99": max(result["p99"] for result in results) / 1000,
            "server": statistics.mean(result["processor"] for result in results) / 1e6,
            "database": (postgres.processor_seconds() - before) / operations, "client": (children() - clients) / operations}


def children():
    """The processor time of the load generators that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(measured, flush, options):
    cores = os.cpu_count()
    # A refresh makes two round trips to the database. Each is assumed to take 30 µs, because PostgreSQL's socket is on
    # this machine.
    costs = simulation.Costs(server=measured[0]["server"], database=measured[0]["database"], client=measured[0]["client"], round_trips=2,
                             network=0.00003, flush=flush)
    lines = [f"Each server may use {SHARE:.1f} cores, and the database and the load generator the rest of {cores} cores. Medians of "
             f"{options.turns} turns of {options.seconds} s. The simulation uses the times of one server: {costs.server * 1e6:.0f} µs of "
             f"sallyportd, {costs.database * 1e6:.0f} µs of PostgreSQL, and {costs.client * 1e6:.0f} µs of the load generator for a "
             f"refresh, and {flush * 1e6:.0f} µs for a write of the log.", "",
             "| servers | refreshes per second | simulated | difference | p99, ms | simulated, ms |", "|---|---|---|---|---|---|"]
    for count, result in enumerate(measured, 1):
        rest = cores - SHARE * count
        # Each simulated server may use SHARE of one core. The database may use an equal part of every core.
        rate, _, p99 = simulation.simulate(costs, count, CONNECTIONS, 1, SHARE, cores, rest / cores)
        lines.append(f"| {count} | {result['rate']:,.0f} | {rate:,.0f} | {rate / result['rate'] - 1:+.0%} | {result['p99'] * 1000:.1f} "
                     f"| {p99 * 1000:.1f} |")
    lines += ["", f"Predicted, not measured: nodes with {NODE_CORES} cores and {NODE_CONNECTIONS} connections, databases with "
              f"{DATABASE_CORES} cores, {NETWORK * 1000:.1f} ms to a database, {FLUSH * 1000:.0f} ms for a write of the log and its standby.",
              "", "| servers | databases | refreshes per second | p50, ms | p99, ms |", "|---|---|---|---|---|"]
    # The prediction assumes that the load generator has a machine of its own, so its costs are 0.
    separate = simulation.Costs(costs.server, costs.database, 0, costs.round_trips, NETWORK, FLUSH)
    for nodes, databases in ((1, 1), (10, 1), (100, 1), (100, 10), (1000, 10), (1000, 100)):
        rate, p50, p99 = simulation.simulate(separate, nodes, NODE_CONNECTIONS, NODE_CORES, 1, DATABASE_CORES, 1, databases)
        lines.append(f"| {nodes:,} | {databases} | {rate:,.0f} | {p50 * 1000:.1f} | {p99 * 1000:.1f} |")
    return lines
