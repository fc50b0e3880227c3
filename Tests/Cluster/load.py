"""Clients that use a cluster continuously and check every response."""

import collections
import contextlib
import http.client
import json
import os
import random
import re
import sys
import threading
import time
import urllib.parse

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "Benchmarks", "driver"))
from browser import Browser

form_fields = {"Content-Type": "application/x-www-form-urlencoded"}


class Lost(Exception):
    """No server has responded, so it is unknown whether the request has taken effect."""


class Rejected(Exception):
    """The server responded with 503. The request can be sent again."""


class Lateness:
    """How late this program continues after it has slept, because other programs use the processors."""

    pause = 0.02

    def __init__(self):
        self.samples = collections.deque(maxlen=5000)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            began = time.monotonic()
            time.sleep(self.pause)
            self.samples.append((began, time.monotonic() - began - self.pause))

    def since(self, began):
        """The sum of all delays since a time, in seconds."""
        return sum(late for at, late in list(self.samples) if at >= began)


class Ledger:
    """What the clients have seen. Times are in seconds."""

    # The time within which a client must learn that its request has failed.
    deadline = 2

    def __init__(self):
        self.lock = threading.Lock()
        self.reset()
        # The newest tokens of each chain of refreshes; the newest tokens of other grants; and access tokens that were
        # revoked, each with the time at which the revocation was acknowledged.
        self.chains, self.grants, self.revoked = {}, [], []
        # Codes that were redeemed, for later attempts to redeem them again.
        self.codes = collections.deque(maxlen=5)
        self.lateness = Lateness()
        # Whether a client sends a request again, once, if its connection was closed between two requests.
        self.resends = False

    def reset(self):
        """Forgets what has happened so far, but not the tokens."""
        with self.lock:
            self.faults, self.successes = [], {}
            # The longest time until a client received a 503.
            self.slowest = 0
            # The longest time after a revocation at which a revoked access token was still reported as active.
            self.staleness = 0
            # For how long a server at a former primary returned stale results.
            self.former = 0
            self.lost, self.rejected, self.resent = 0, 0, 0

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def note(self, kind):
        """Records that an operation of a kind, such as "refresh", has succeeded now."""
        with self.lock:
            self.successes.setdefault(kind, []).append(time.monotonic())

    def note_stale(self, seconds):
        with self.lock:
            self.staleness = max(self.staleness, seconds)

    def check_time(self, began, what):
        """Notes a fault if a client learned too late that its request had failed."""
        took = time.monotonic() - began
        # The delays of this program are not the server's fault. They are added up only if the deadline has passed.
        if took > self.deadline and took > self.deadline + (late := self.lateness.since(began)):
            self.fault(f"{what} after {took:.1f} s; this program waited {late:.1f} s for a processor meanwhile")

    def gap(self, kind, since, until):
        """The longest time without a success between two times."""
        with self.lock:
            times = [since, *(at for at in self.successes.get(kind, []) if since <= at <= until), until]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def first(self, kind, after):
        """The time of the first success after a time, or `None` if there is none."""
        with self.lock:
            return next((at for at in self.successes.get(kind, []) if at >= after), None)


class Client:
    """One connection to the load balancer, opened again after a failure."""

    def __init__(self, port, ledger, server=None):
        """If `server` is the port of a server, the client connects to this server instead of the load balancer. Its lost and
        rejected requests are then not counted, because an app would not see them."""
        self.port = port
        self.server = server
        self.ledger = ledger
        self.connection = None

    def send(self, method, path, body=None, headers=None):
        """Returns the status, the header fields, and the body of a response. Raises `Rejected` for 503, and `Lost` for 502, for 504,
        and if there is no response."""
        began = time.monotonic()
        try:
            response = self.response(method, path, body, headers)
            content = response.read().decode()
        except (OSError, http.client.HTTPException):
            self.close()
            self.note_lost(began, f"no response to {method} {path.partition('?')[0]}")
            raise Lost from None
        if response.status == 503:
            with self.ledger.lock:
                self.ledger.rejected += self.server is None
                self.ledger.slowest = max(self.ledger.slowest, time.monotonic() - began)
            self.ledger.check_time(began, f"503 for {method} {path.partition('?')[0]}")
            if not response.headers.get("Retry-After"):
                self.ledger.fault(f"503 without Retry-After for {method} {path.partition('?')[0]}: {content[:200]}")
            raise Rejected
        # HAProxy sends these responses if a server ends while it handles a request.
        if response.status in (502, 504):
            self.note_lost(began, f"{response.status} for {method} {path.partition('?')[0]}")
            raise Lost
        return response.status, response.headers, content

    def note_lost(self, began, what):
        with self.ledger.lock:
            self.ledger.lost += self.server is None
        self.ledger.check_time(began, what)

    def response(self, method, path, body, headers):
        headers = {"Host": f"localhost:{self.port}"} | (headers or {})
        is_kept = self.connection is not None
        if not is_kept:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server or self.port, timeout=15)
        try:
            self.connection.request(method, path, body, headers)
            return self.connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError):
            # The peer has closed a kept connection without a response. HTTP lets a client send the request again (RFC
            # 9112 §9.3.1).
            if not (is_kept and self.ledger.resends):
                raise
            with self.ledger.lock:
                self.ledger.resent += 1
            self.connection.close()
            self.connection.request(method, path, body, headers)
            return self.connection.getresponse()

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Load:
    # The numbers of threads that refresh, sign in, and introspect.
    chains, flows, introspections = 6, 2, 2
    # The number of users. If two transactions use the same page of an index at the same time, PostgreSQL can reject one
    # of them, and the server repeats it. The grants of one user are next to each other in an index, so with one user,
    # this would be far more frequent than in production.
    users = 16

    def __init__(self, cluster):
        self.port = cluster.settings["port"]
        self.servers = [ports["port"] for ports in cluster.settings["servers"].values()]
        self.ledger = Ledger()
        self.ending = threading.Event()
        self.threads = []
        cluster.sallyportd("client", "add", "--client-id", "benchmark", "--name", "Load", "--redirect-uri", Browser.redirect)
        cluster.sallyportd("client", "add", "--client-id", "service", "--name", "Service", "--type", "service", "--auth-method",
                           "client_secret_basic", "--scope", "notes:read", "--audience", cluster.issuer, "--secret-from-stdin",
                           text=f"{Browser.service_secret}\n")
        self.browsers = [self.signed_in(cluster, f"user{number}") for number in range(self.users)]
        self.browser = self.browsers[0]

    def signed_in(self, cluster, username):
        """Adds a user. Returns a browser with the session and the consent of this user, which later sign-ins use."""
        cluster.sallyportd("user", "add", username, text=f"{Browser.password}\n")
        browser = Browser(self.port)
        browser.username = username
        browser.sign_in(browser.authorize)
        return browser

    def start(self):
        for number in range(self.chains):
            self.run(self.refresh, number)
        for _ in range(self.flows):
            self.run(self.sign_in)
        self.run(self.redeem_twice)
        self.run(self.refresh_twice, {})
        for _ in range(self.introspections):
            self.run(self.introspect)
        self.run(self.read_metadata)

    def run(self, step, *arguments):
        def repeat():
            client = Client(self.port, self.ledger)
            while not self.ending.wait(0.02):
                try:
                    step(client, *arguments)
                except (Lost, Rejected):
                    self.ending.wait(0.1)
                except Exception as error:
                    self.ledger.fault(f"{step.__name__}: {type(error).__name__}: {error}")
            client.close()
        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        self.threads.append(thread)

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join(20)

    # What the clients do

    def refresh(self, client, number):
        """Refreshes the grant of a chain. A refresh without a response is repeated with the same token."""
        if number not in self.ledger.chains:
            tokens = self.redeem(client, self.code(client))
            self.ledger.chains[number] = tokens
        self.ledger.chains[number] = self.refreshed(client, self.ledger.chains[number], f"chain {number}")
        self.ledger.note("refresh")

    def refreshed(self, client, tokens, name):
        """Refreshes once. Returns the new tokens. Raises `ValueError` if the server rejects the token, although it has issued it."""
        began = tokens.setdefault("began", time.monotonic())
        form = urllib.parse.urlencode({"grant_type": "refresh_token", "client_id": "benchmark", "refresh_token": tokens["refresh_token"]})
        status, _, body = client.send("POST", "/token", form, form_fields)
        if status != 200:
            # An app would have to sign in again, so a chain (named "chain NUMBER") starts again with a new code.
            if self.ledger.chains.get(int(name.split()[-1]) if name.startswith("chain") else None) is tokens:
                del self.ledger.chains[int(name.split()[-1])]
            raise ValueError(f"{name}: the acknowledged refresh token was rejected {time.monotonic() - began:.1f} s after its first use: "
                             f"{status} {body}")
        return json.loads(body)

    def code(self, client):
        status, headers, body = client.send("GET", self.browser.authorize, headers={"Cookie": random.choice(self.browsers).session})
        code = re.search("[?&]code=([^&]+)", headers.get("Location", ""))
        if not code:
            raise ValueError(f"no code: {status} {headers.get('Location')} {body[:200]}")
        return code[1]

    def redeem(self, client, code):
        status, _, body = client.send("POST", "/token", f"{self.browser.code_form}&code={code}", form_fields)
        if status != 200:
            raise ValueError(f"a new code was rejected: {status} {body}")
        return json.loads(body)

    def sign_in(self, client):
        """Signs in. Keeps some of the grants and some of the codes, and revokes the other grants."""
        code = self.code(client)
        tokens = self.redeem(client, code)
        self.ledger.note("sign-in")
        with self.ledger.lock:
            keeps = len(self.ledger.grants) < 60
            if keeps:
                self.ledger.grants.append(tokens)
        if keeps:
            return
        if random.random() < 0.2:
            # A second attempt to redeem the code revokes its grant, so nothing else uses the grant.
            self.ledger.codes.append(code)
            return
        form = urllib.parse.urlencode({"token": tokens["refresh_token"], "client_id": "benchmark"})
        status, _, body = client.send("POST", "/revoke", form, form_fields)
        if status != 200:
            raise ValueError(f"a token was not revoked: {status} {body}")
        with self.ledger.lock:
            self.ledger.revoked = [*self.ledger.revoked[-30:], (time.monotonic(), tokens["access_token"])]

    def redeem_twice(self, client):
        """Presents a code on two connections at the same time. At most one redemption may succeed."""
        code = self.code(client)
        statuses = []

        def present(client):
            with contextlib.suppress(Lost, Rejected):
                statuses.append(client.send("POST", "/token", f"{self.browser.code_form}&code={code}", form_fields)[0])

        second = Client(self.port, self.ledger)
        thread = threading.Thread(target=present, args=[second])
        thread.start()
        present(client)
        thread.join()
        second.close()
        if statuses.count(200) > 1:
            raise ValueError("a code was redeemed twice")
        self.ledger.note("double redemption")

    def refresh_twice(self, client, state):
        """Presents a refresh token at two servers at the same time. Both must return the same successor."""
        if "tokens" not in state:
            state["tokens"] = self.redeem(client, self.code(client))
        tokens, received = state["tokens"], []

        def present(port):
            direct = Client(self.port, self.ledger, port)
            try:
                received.append(self.refreshed(direct, tokens, "a token for two servers"))
            except (Lost, Rejected):
                pass
            except ValueError as error:
                state.pop("tokens", None)
                self.ledger.fault(str(error))
            direct.close()

        threads = [threading.Thread(target=present, args=[port]) for port in random.sample(self.servers, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if len({each["refresh_token"] for each in received}) > 1:
            self.ledger.fault("two servers have issued different successors of one refresh token")
        if received and "tokens" in state:
            state["tokens"] = received[0]
        if len(received) == 2:
            self.ledger.note("double refresh")

    def check_codes(self, codes):
        """Presents codes whose redemption was acknowledged before an event, such as a failover. All servers must reject them."""
        client = Client(self.port, self.ledger)
        for code in codes:
            for _ in range(100):
                try:
                    if client.send("POST", "/token", f"{self.browser.code_form}&code={code}", form_fields)[0] == 200:
                        self.ledger.fault("a code that was redeemed before the event was redeemed again")
                    break
                except (Lost, Rejected):
                    time.sleep(0.1)
        client.close()

    def introspect(self, client):
        """Introspects a valid access token and a revoked one."""
        with self.ledger.lock:
            valid = [tokens["access_token"] for tokens in self.ledger.chains.values()]
            revoked = self.ledger.revoked[-1:]
        for token in valid[:1]:
            if not self.is_active(client, token):
                raise ValueError("introspection says that a valid token is not active")
            self.ledger.note("introspection")
        for at, token in revoked:
            if self.is_active(client, token):
                self.ledger.note_stale(time.monotonic() - at)

    def is_active(self, client, token):
        form = urllib.parse.urlencode({"token": token})
        status, _, body = client.send("POST", "/introspect", form, form_fields | {"Authorization": Browser.service})
        if status != 200:
            raise ValueError(f"no introspection: {status} {body}")
        return json.loads(body)["active"]

    def read_metadata(self, client):
        """Discovery and the JWK Set must always be available."""
        for path in ("/.well-known/openid-configuration", "/jwks.json"):
            try:
                status, _, body = client.send("GET", path)
            except Rejected:
                raise ValueError(f"{path} is not available") from None
            if status != 200:
                raise ValueError(f"{path}: {status} {body[:200]}")
        self.ledger.note("metadata")

    def check_grants(self):
        """Refreshes every grant that `sign_in` has kept, after an event such as a failover."""
        client = Client(self.port, self.ledger)
        for number, tokens in enumerate(self.ledger.grants):
            for _ in range(100):
                try:
                    self.ledger.grants[number] = self.refreshed(client, tokens, f"grant {number}")
                    break
                except (Lost, Rejected):
                    time.sleep(0.1)
                except ValueError as error:
                    self.ledger.fault(str(error))
                    break
            else:
                self.ledger.fault(f"grant {number} could not be refreshed within 100 attempts")
        # Only tokens of a failed refresh still have "began".
        self.ledger.grants = [tokens for tokens in self.ledger.grants if "began" not in tokens]
