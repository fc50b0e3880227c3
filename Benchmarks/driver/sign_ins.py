"""Measures sign-ins with a passkey and sign-ins with a password. In each sign-in, a new browser sends an authorization request, loads the
sign-in page, and submits the form."""

import multiprocessing
import statistics
import time

import load
from authenticator import Authenticator
from browser import Browser
from process import Server
from turns import alternating, median_of


def measure(options, folder):
    server = Server.sallyportd(options.binaries, f"{folder}/data")
    lines = [f"Medians of {options.turns} turns of {options.seconds} s.", "",
             "| sign-in with | connections | per second | p50, ms | p99, ms | processor of the server, ms |", "|---|---|---|---|---|---|"]
    try:
        server.start()
        authenticator = registered(server)
        for number in range(max(options.connections)):
            server.administer("user", "add", username(number), text=f"{Browser.password}\n")
        loads = [SignIns("a password", server, password), SignIns("a passkey", server, Passkey(authenticator))]
        for connections in options.connections:
            for each, turns in zip(loads, alternating(loads, connections, options.seconds, options.turns)):
                lines.append(f"| {each.name} | {connections} | {median_of(turns, 'rate'):,.0f} | {median_of(turns, 'p50'):.1f} "
                             f"| {median_of(turns, 'p99'):.1f} | {median_of(turns, 'processor'):.2f} |")
                load.say(lines[-1])
    finally:
        server.stop()
    print("\n".join(lines))


def registered(server):
    """Adds a passkey to the user's account, and returns the authenticator that contains the passkey."""
    browser = server.browser()
    authenticator = Authenticator(browser.origin)
    browser.submit(browser.page("/account"), username=browser.username, password=browser.password)
    action, fields = authenticator.respond(browser.page("/account"))
    status, _, body = browser.post(action, fields)
    if status not in (200, 303):
        raise SystemExit(f"the passkey was not added: {status} {body}")
    return authenticator


def username(number):
    """The user who signs in with a password in process `number`. If all processes used the same user, the server would reject concurrent
    attempts, because each attempt counts as failed until its password is checked."""
    return f"user{number}"


def password(number, browser, page):
    browser.submit(page, username=username(number), password=browser.password)


class Passkey:
    def __init__(self, authenticator):
        self.authenticator = authenticator

    def __call__(self, _, browser, page):
        status, _, _ = browser.post(*self.authenticator.respond(page))
        if status != 303:
            raise SystemExit(f"the passkey was rejected: {status}")


class SignIns:
    def __init__(self, name, server, sign_in):
        self.name = name
        self.server = server
        self.sign_in = sign_in

    def run(self, connections, seconds):
        """Signs in from as many processes as connections, because a Python process uses only one core."""
        before = self.server.processor_seconds()
        results = [self._start(seconds, number) for number in range(connections)]
        times = sorted(time for result in results for time in result.recv())
        used = self.server.processor_seconds() - before
        # All sign-ins that began within `seconds` are counted, although the last ones end later.
        return {"rate": len(times) / seconds, "p50": statistics.median(times) * 1000, "p99": times[int(len(times) * 0.99)] * 1000,
                "processor": used / len(times) * 1000}

    def _start(self, seconds, number):
        """Starts a process, which inherits the key of the passkey. Returns a pipe connection, from which the times of its sign-ins can
        be received."""
        fork = multiprocessing.get_context("fork")
        result, end = fork.Pipe(duplex=False)
        fork.Process(target=lambda: end.send(self._repeat(seconds, number)), daemon=True).start()
        # If this process kept its copy of the sending end open, `recv` would wait forever after a failure of the new
        # process.
        end.close()
        return result

    def _repeat(self, seconds, number):
        times, end = [], time.monotonic() + seconds
        # Each process has its own address, because the server limits the password attempts of an address.
        source = f"127.0.1.{number + 1}"
        # At least one sign-in is measured, even if it takes longer than `seconds`.
        while time.monotonic() < end or not times:
            began = time.monotonic()
            browser = self.server.browser(source)
            self.sign_in(number, browser, browser.page(browser.authorize))
            times.append(time.monotonic() - began)
        return times
