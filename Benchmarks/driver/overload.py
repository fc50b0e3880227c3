"""Measures the server under more load than it can serve: many wrong passwords at once, and floods of anonymous requests."""

import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import floods
import load
from browser import Browser
from process import Server

PEOPLE, APPS = 200, 4


def measure(options, folder):
    crowd(options, f"{folder}/data")
    print()
    floods.measure(options, f"{folder}/floods")


def crowd(options, data):
    """Sends wrong passwords over many connections while a few apps refresh."""
    server = Server.sallyportd(options.binaries, data)
    seconds = max(5, options.seconds)
    try:
        server.start()
        refresh = load.operations(server, server, server.signed_in())["refresh"][0]
        forms = write_forms(server, f"{data}.forms", PEOPLE)
        alone = refresh.run(APPS, seconds)
        words = refresh.words(APPS)
        with ThreadPoolExecutor() as others:
            crowd = others.submit(
                load.wrk, server, 1, PEOPLE, 2 * seconds + 2, [f"{load.scripts}/crowd.lua"], [forms], "CROWD")
            time.sleep(1)
            beside = refresh.run(APPS, 2 * seconds, words=words)
            answers, _ = crowd.result()
        after = refresh.run(APPS, seconds)
    finally:
        server.stop()
    print(f"| refreshing, {APPS} connections | per second | p50, ms | p99, ms | errors |\n|---|---|---|---|---|")
    for name, result in (("alone", alone), ("during the wrong passwords", beside), ("afterward", after)):
        print(f"| {name} | {result['rate']:,.0f} | {result['p50']:.2f} | {result['p99']:.2f} | {result['errors']} |")
    print(f"\nThe wrong passwords, {PEOPLE} connections from one address for {answers['seconds']:.0f} s: {statuses(answers)}"
          + f"; p50 {answers['p50'] / 1000:.0f} ms, p99 {answers['p99'] / 1000:.0f} ms, slowest {answers['slowest'] / 1000:.0f} ms, "
          f"{answers['lost']} without a response. Highest memory: {server.peak:.0f} MiB.")


def statuses(answers):
    counts = sorted(answers["statuses"].items(), key=lambda item: -item[1])
    return ", ".join(f"{count:,} × {status}" for status, count in counts)


def write_forms(server, path, people):
    """Writes a request with a wrong password for each of `people` users."""
    with open(path, "w") as file:
        for number in range(people):
            print(*wrong_password(server, number), sep="\n", file=file)
    return path


def wrong_password(server, number):
    """The four lines of a request for crowd.lua."""
    browser = Browser(server.port)
    action, csrf = browser.form(browser.page(browser.authorize))
    form = urllib.parse.urlencode({"csrf": csrf, "username": f"user-{number}", "password": "not the password"})
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    return action.removeprefix(browser.origin), "application/x-www-form-urlencoded", cookies, form
