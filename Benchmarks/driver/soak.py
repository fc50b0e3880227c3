"""Measures whether memory stays flat: runs six operations in turns, with lifetimes so short that rows are added and removed."""

import ipaddress
import time

import load
from browser import Browser
from process import Server

# TURN is the length of a turn in seconds. After each round of turns, USERS users come and go.
CONNECTIONS, TURN, USERS = 2, 3, 2
OPERATIONS = ("code flow", "refresh", "userinfo", "introspection", "client credentials", "discovery")

# The browser sends the address of its user as a proxy on this machine would. Each user has a different address.
SETTINGS = """
proxies: [127.0.0.1]
lifetimes:
  authorization-code: 5s
  access-token: 30s
  id-token: 30s
  refresh-token-idle: 10m
  grant: 10m
  interaction: 1m
"""


def measure(options, folder):
    settings = f"{folder}/soak.yaml"
    with open(settings, "w") as file:
        file.write(SETTINGS)
    server = Server.sallyportd(options.binaries, f"{folder}/data", "--config", settings)
    # The pause of a connection before each request, in milliseconds.
    pause = round(1000 * CONNECTIONS / options.rate) if options.rate else 0
    users, operations, samples = Users(server), 0, []
    try:
        server.start()
        loads = load.operations(server, server, server.signed_in())
        began = time.monotonic()
        while time.monotonic() - began < options.soak * 60:
            for name in OPERATIONS:
                # Each operation also has a load that measures its upper limit, which is not needed here.
                load_of_server, _ = loads[name]
                result = load_of_server.run(CONNECTIONS, TURN, pause)
                # The rate is in operations per second.
                operations += result["rate"] * TURN
            users.come_and_go(USERS)
            samples.append(((time.monotonic() - began) / 60, server.resident(), server.anonymous(), server.descriptors(), server.database()))
            load.say("after %4.1f min: %5.1f MiB resident, %5.1f anonymous, %d descriptors, database %.1f MiB" % samples[-1])
    finally:
        server.stop()
    print(f"{operations:,.0f} operations over {CONNECTIONS} connections, and {users.count} users who failed twice, signed in twice, "
          f"got tokens, and signed out twice. Resident memory of the idle server before the first operation: {server.idle:.1f} MiB.\n")
    print("| after, minutes | resident, MiB | anonymous, MiB | open descriptors | database, MiB |\n|---|---|---|---|---|")
    # At most 13 samples at even distances, among them the first and the last one.
    for index in sorted({position * (len(samples) - 1) // 12 for position in range(13)}):
        print("| %.1f | %.1f | %.1f | %d | %.1f |" % samples[index])


class Users:
    """Users, each in a new browser, who fail with an unknown name, sign in and out, fail with a wrong password, and sign in and out again."""

    def __init__(self, server):
        self.server = server
        self.count = 0

    def come_and_go(self, count):
        for _ in range(count):
            address = ipaddress.ip_address("10.0.0.1") + self.count
            self.count += 1
            browser = Browser(self.server.port, address=str(address))
            self.fail(browser, f"user-{self.count}")
            browser.sign_in(browser.authorize)
            browser.sign_out()
            # All browsers sign in to the same account. A failed sign-in to an account from an unknown browser delays
            # later sign-ins to the account from all unknown browsers. So the browser fails with the name of the account
            # only now: since its first sign-in, the browser is known to the account.
            self.fail(browser, browser.username)
            browser.sign_in(browser.authorize)
            browser.tokens()
            browser.sign_out()

    @staticmethod
    def fail(browser, username):
        status = browser.try_password(browser.page(browser.authorize), username, "not the password")
        if status != 403:
            raise SystemExit(f"the status of the response to a wrong password was {status}")
