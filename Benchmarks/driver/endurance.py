"""What shows only in a large database, over a long time, or under more than the server can do."""

import http.client
import os
import sqlite3
import statistics
import subprocess
import threading
import time

import load
from browser import Browser
from process import Server


def filled(options, folder):
    """An empty and a full database, loaded in turns; then the removal of a backlog while the load goes on."""
    empty, full = Server.sallyportd(options.binaries, f"{folder}/empty"), Server.sallyportd(options.binaries, f"{folder}/full")
    backlog = options.filled // 20
    load.say(f"writes {options.filled:,} refresh tokens")
    began = time.monotonic()
    subprocess.run([f"{options.binaries}/Limits", "fill", f"{full.data}/sallyport.db", "benchmark", str(options.filled)],
                   check=True)
    taken, size = time.monotonic() - began, os.path.getsize(f"{full.data}/sallyport.db") / 2**20
    load.say(f"written in {taken:.0f} s, {size:,.0f} MiB")
    lines = [f"{options.filled:,} refresh tokens, a database of {size:,.0f} MiB.", "",
             "| operation | connections | empty: per second | full | ratio | empty: p99, ms | full | empty: processor, µs | full |",
             "|---|---|---|---|---|---|---|---|---|"]
    try:
        for server in (empty, full):
            server.start()
        loads = {server: load.operations(server, empty, signed_in(server)) for server in (empty, full)}
        for name in ("code flow", "refresh", "userinfo"):
            for connections in options.connections:
                turns = {empty: [], full: []}
                for turn in range(6):
                    for server in ((empty, full), (full, empty))[turn % 2]:
                        turns[server].append(loads[server][name][0].run(connections, options.seconds))
                lines.append(compared(name, connections, turns[empty], turns[full]))
                load.say(lines[-1])
        lines += ["", f"Memory, highest under load: empty {empty.peak:.0f} MiB, full {full.peak:.0f} MiB."]
        lines += removal(full, loads[full], backlog)
    finally:
        empty.stop()
        full.stop()
    print("\n".join(lines))


def removal(server, loads, backlog):
    """The expiry of many rows beside a load of refreshes. The rows expire at once, as after a long night."""
    quiet = loads["refresh"][0].run(8, 4)
    with sqlite3.connect(f"{server.data}/sallyport.db", timeout=60, isolation_level=None) as database:
        database.execute("UPDATE refresh_token SET expires_at = 1 WHERE fingerprint IN "
                         "(SELECT fingerprint FROM refresh_token WHERE grant_id IN (SELECT id FROM oauth_grant ORDER BY id LIMIT ?))",
                         (backlog // 5,))
        left = lambda: database.execute("SELECT count(*) FROM refresh_token WHERE expires_at = 1").fetchone()[0]
        due, began, busy = left(), time.monotonic(), []
        while (remaining := left()) > 0 and time.monotonic() - began < 600:
            if remaining < due:
                busy.append(loads["refresh"][0].run(8, 2))
            else:
                time.sleep(1)
        gone, seconds = due - left(), time.monotonic() - began
    if not busy:
        return [f"{gone:,} expired tokens were gone before they could be measured."]
    return [f"{gone:,} of {due:,} expired tokens removed in {seconds:.0f} s (up to 60 of them until the server looks) beside 8 connections that "
            f"refresh: {statistics.median(r['rate'] for r in busy):,.0f} a second with p99 {max(r['p99'] for r in busy):.1f} ms at worst, "
            f"before it {quiet['rate']:,.0f} with {quiet['p99']:.1f} ms."]


def soak(options, folder):
    """Every operation in turns for so many minutes, with lifetimes so short that rows come and go; is memory flat?"""
    server = Server.sallyportd(options.binaries, f"{folder}/data")
    server.command += ["--config", write(f"{folder}/soak.yaml", SHORT_LIVES)]
    samples = []
    try:
        server.start()
        browser = signed_in(server)
        loads = load.operations(server, server, browser)
        began = time.monotonic()
        while (passed := time.monotonic() - began) < options.soak * 60:
            for name in ("code flow", "refresh", "userinfo", "discovery"):
                loads = load.operations(server, server, browser)
                loads[name][0].run(8, 3)
            samples.append((passed / 60, server.resident(), server.descriptors(), os.path.getsize(f"{server.data}/sallyport.db") / 2**20))
            load.say("after %4.1f min: %5.1f MiB, %d descriptors, database %.1f MiB" % samples[-1])
    finally:
        server.stop()
    print("| after, minutes | resident, MiB | open descriptors | database, MiB |\n|---|---|---|---|")
    step = max(1, len(samples) // 12)
    for sample in samples[::step]:
        print("| %.1f | %.1f | %d | %.1f |" % sample)


def overload(options, folder):
    """More wrong passwords, from more connections, than the server can check, beside a few apps that refresh."""
    server = Server.sallyportd(options.binaries, f"{folder}/data")
    try:
        server.start()
        browser = signed_in(server)
        loads = load.operations(server, server, browser)
        quiet = loads["refresh"][0].run(4, options.seconds)
        crowd = Crowd(server.port)
        crowd.start()
        time.sleep(1)
        loud = loads["refresh"][0].run(4, max(10, options.seconds))
        answers = crowd.stop()
    finally:
        server.stop()
    print("| refreshing, 4 connections | per second | p50, ms | p99, ms | errors |\n|---|---|---|---|---|")
    for name, result in (("alone", quiet), ("beside the crowd", loud)):
        print(f"| {name} | {result['rate']:,.0f} | {result['p50']:.2f} | {result['p99']:.2f} | {result['errors']} |")
    print(f"\nThe crowd, {crowd.people} connections: {answers}\nMemory, highest: {server.peak:.0f} MiB.")


class Crowd:
    """People who send a wrong password again and again, each on a connection of their own."""

    people = 200

    def __init__(self, port):
        self.port = port
        self.ended = threading.Event()
        self.statuses, self.slowest, self.lock = {}, 0, threading.Lock()

    def start(self):
        self.threads = [threading.Thread(target=self.one, args=(number,), daemon=True) for number in range(self.people)]
        for thread in self.threads:
            thread.start()

    def one(self, number):
        browser = Browser(self.port)
        page = browser.page(browser.authorize)
        while not self.ended.is_set():
            began = time.monotonic()
            try:
                status = browser.try_password(page, f"person-{number}", "not the password")
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
            taken = time.monotonic() - began
            with self.lock:
                self.statuses[status] = self.statuses.get(status, 0) + 1
                self.slowest = max(self.slowest, taken)

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join(30)
        counts = ", ".join(f"{count:,} × {status}" for status, count in sorted(self.statuses.items(), key=lambda item: -item[1]))
        return f"{counts}; slowest answer {self.slowest * 1000:.0f} ms."


SHORT_LIVES = """
lifetimes:
  authorization-code: 5s
  access-token: 30s
  id-token: 30s
  refresh-token-idle: 10m
  grant: 10m
  interaction: 1m
"""


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def signed_in(server):
    browser = Browser(server.port)
    browser.sign_in(browser.authorize)
    return browser


def compared(name, connections, empty, full):
    def middle(turns, key):
        return statistics.median(turn[key] for turn in turns)
    ratio = statistics.median(f["rate"] / e["rate"] for e, f in zip(empty, full))
    return (f"| {name} | {connections} | {middle(empty, 'rate'):,.0f} | {middle(full, 'rate'):,.0f} | {ratio:.2f} "
            f"| {middle(empty, 'p99'):.2f} | {middle(full, 'p99'):.2f} | {middle(empty, 'processor'):.0f} | {middle(full, 'processor'):.0f} |")
