"""Measures the server under more load than it can serve: many wrong passwords at once, and floods of anonymous requests."""

import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import floods
import load
from browser import Browser
from process import Server

# USERS is the number of connections that send wrong passwords, and the number of users whose names these requests use
# in turn. APPS is the number of connections that refresh tokens.
USERS, APPS = 200, 4


def measure(options, folder):
    wrong_passwords(options, f"{folder}/data")
    print()
    floods.measure(options, f"{folder}/floods")


def wrong_passwords(options, data):
    """Measures token refreshes over APPS connections three times: without other requests, while wrong passwords arrive
    over USERS connections, and after the wrong passwords."""
    server = Server.sallyportd(options.binaries, data)
    seconds = max(5, options.seconds)
    try:
        server.start()
        refresh = load.operations(server, server, server.signed_in())["refresh"][0]
        forms = write_forms(server, f"{data}.forms", USERS)
        alone = refresh.run(APPS, seconds)
        # These arguments contain new tokens, which are requested before the wrong passwords begin.
        words = refresh.words(APPS)
        # The wrong passwords begin one second before the refreshes, and end one second after them.
        with ThreadPoolExecutor() as background:
            attempts = background.submit(
                load.wrk, server, 1, USERS, 2 * seconds + 2, [f"{load.scripts}/requests.lua"], [forms], "REQUESTS")
            time.sleep(1)
            beside = refresh.run(APPS, 2 * seconds, words=words)
            results, _ = attempts.result()
        after = refresh.run(APPS, seconds)
    finally:
        server.stop()
    print(f"| refreshing, {APPS} connections | per second | p50, ms | p99, ms | errors |\n|---|---|---|---|---|")
    for name, result in (("alone", alone), ("during the wrong passwords", beside), ("afterward", after)):
        print(f"| {name} | {result['rate']:,.0f} | {result['p50']:.2f} | {result['p99']:.2f} | {result['errors']} |")
    print(f"\nThe wrong passwords, {USERS} connections from one address for {results['seconds']:.0f} s: {statuses(results)}"
          + f"; p50 {results['p50'] / 1000:.0f} ms, p99 {results['p99'] / 1000:.0f} ms, slowest {results['slowest'] / 1000:.0f} ms, "
          f"{results['lost']} without a response. Highest memory: {server.peak:.0f} MiB.")


def statuses(results):
    counts = sorted(results["statuses"].items(), key=lambda item: -item[1])
    return ", ".join(f"{count:,} × {status}" for status, count in counts)


def write_forms(server, path, users):
    """Writes a request with a wrong password for each of `users` users."""
    with open(path, "w") as file:
        for number in range(users):
            print(*wrong_password(server, number), sep="\n", file=file)
    return path


def wrong_password(server, number):
    """The four lines of a request for requests.lua: the path, the content type, the cookies, and the body."""
    browser = Browser(server.port)
    action, csrf = browser.form(browser.page(browser.authorize))
    form = urllib.parse.urlencode({"csrf": csrf, "username": f"user-{number}", "password": "not the password"})
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    return action.removeprefix(browser.origin), "application/x-www-form-urlencoded", cookies, form
