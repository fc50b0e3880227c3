"""Measures refreshes by one, two, and more servers on one PostgreSQL database, each confined to a part of a core."""

import os
import shutil
import statistics
import threading

import load
from postgres import Postgres
from process import Server

CONNECTIONS, SHARE = 8, 0.2


class Slice:
    """A cgroup that limits the processor time of a process. Needs root."""

    def __init__(self, name, share):
        unified = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
        self.path = f"/sys/fs/cgroup/{'' if unified else 'cpu/'}{name}"
        period = 10_000
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

    def confine(self, process):
        self._write(f"{self.path}/cgroup.procs", str(process))

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
    lines = [f"Each server may use {SHARE:.1f} cores. Medians of {options.turns} turns of {options.seconds} s.", "",
             "| servers | refreshes per second | per server | processor of PostgreSQL, cores | p99, ms |", "|---|---|---|---|---|"]
    try:
        for number in range(2, options.servers + 1):
            # All servers need the same key file.
            os.mkdir(f"{folder}/data{number}", 0o700)
            shutil.copy(f"{folder}/data1/key", f"{folder}/data{number}/key")
            servers.append(Server.over(options.binaries, f"{folder}/data{number}", "--issuer", f"http://localhost:{first.port}",
                                       database=url))
        for number, server in enumerate(servers):
            server.postgres = postgres
            server.start()
            slices.append(Slice(f"sallyport-benchmark-{os.getpid()}-{number}", SHARE))
        browser = first.signed_in()
        for server, each in zip(servers, slices):
            each.confine(server.process.pid)
        for count in range(1, len(servers) + 1):
            turns = [together(servers[:count], browser, postgres, options.seconds) for _ in range(options.turns)]
            rate, cores, p99 = (statistics.median(values) for values in zip(*turns))
            lines.append(f"| {count} | {rate:,.0f} | {rate / count:,.0f} | {cores:.2f} | {p99:.1f} |")
            load.say(lines[-1])
    finally:
        for server in servers:
            server.stop()
        for each in slices:
            each.remove()
        postgres.stop()
    print("\n".join(lines))


def together(servers, browser, postgres, seconds):
    """Refreshes at all servers at the same time. Returns the rate, the cores that PostgreSQL used, and the highest p99."""
    results = []
    # The tokens first, so that signing in takes no time of the turn.
    words = [["/token", browser.refresh_form, *(browser.tokens()["refresh_token"] for _ in range(CONNECTIONS))] for _ in servers]
    refreshes = [load.Load("refresh", server, "refresh.lua", None) for server in servers]
    threads = [threading.Thread(target=lambda each=each, words=words: results.append(each.run(CONNECTIONS, seconds, words=words)))
               for each, words in zip(refreshes, words)]
    before = postgres.processor_seconds()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cores = (postgres.processor_seconds() - before) / seconds
    return sum(result["rate"] for result in results), cores, max(result["p99"] for result in results)
