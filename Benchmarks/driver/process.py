"""A server process: its start, its processor time, and its memory."""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time

from browser import Browser, connect


class Server:
    def __init__(self, command, path, port):
        self.command = command
        # The URL path that the server responds to with 200 when it is ready.
        self.path = path
        self.port = port
        self.process = None
        # The PostgreSQL server that this server uses, if any.
        self.postgres = None
        self.scheme = "http"
        # The resident memory in MiB: a second after the start, and the maximum since then.
        self.idle = 0
        self.peak = 0
        self._watching = threading.Event()

    @classmethod
    def sallyportd(cls, binaries, data, *words, database=None, tls=None):
        """A `sallyportd` with a user and two clients. `words` are further options of `sallyportd serve`. `tls` is the
        path of a certificate and its key, without `.crt` and `.key`."""
        server = cls.for_data(binaries, data, *words, database=database)
        if tls:
            server.scheme = "https"
            server.command += ["--issuer", server.issuer, "--tls-certificate", f"{tls}.crt", "--tls-key", f"{tls}.key"]
        # These commands also create the database and the key file, so the first measured start does not.
        server.administer("user", "add", Browser.username, "--name", "Ada Lovelace", "--email", "ada@example.com",
                          text=f"{Browser.password}\n")
        server.administer("client", "add", "--client-id", "benchmark", "--name", "Benchmark", "--redirect-uri",
                          Browser.redirect, "--device")
        # A client that gets tokens for itself (client credentials), and introspects the tokens of users.
        server.administer("client", "add", "--client-id", "service", "--name", "Service", "--type", "service", "--auth-method",
                          "client_secret_basic", "--scope", "notes:read", "--audience", server.issuer,
                          "--secret-from-stdin", text=f"{Browser.service_secret}\n")
        return server

    @classmethod
    def for_data(cls, binaries, data, *words, database=None):
        """A `sallyportd` for a data directory, without new users or clients. `database` is the URL of a PostgreSQL
        database; the default is SQLite."""
        port = free_port()
        location = ["--data", data, *(["--database", database] if database else [])]
        server = cls([f"{binaries}/sallyportd", "serve", *location, "--port", str(port), *words],
                     "/.well-known/openid-configuration", port)
        server.binary = f"{binaries}/sallyportd"
        server.data = data
        server.location = location
        return server

    @classmethod
    def limits(cls, binaries, folder, database=None):
        """The bare server (`BareServer` in Benchmarks/Sources/Limits), which does only the unavoidable work of an endpoint."""
        port = free_port()
        return cls([f"{binaries}/Limits", "serve", str(port), folder, *([database] if database else [])], "/bare", port)

    def administer(self, *words, text=""):
        done = subprocess.run([self.binary, *words, *self.location], input=text.encode(), capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"sallyportd {' '.join(words[:2])}: {done.stderr.decode()}")

    @property
    def issuer(self):
        return f"{self.scheme}://localhost:{self.port}"

    def browser(self, source=None):
        return Browser(self.port, source=source, tls=self.scheme == "https")

    def signed_in(self):
        """A browser whose user has signed in and consented, so the server responds to its authorization requests with a
        code immediately."""
        browser = self.browser()
        browser.sign_in(browser.authorize)
        return browser

    def sessions(self, count):
        """Adds `count` users and signs them in. Returns their session cookies, separated by `|`. With one user for each
        connection, connections do not wait for each other in PostgreSQL."""
        cookies = []
        for number in range(count):
            browser = self.browser()
            browser.username = f"user{number}"
            self.administer("user", "add", browser.username, text=f"{Browser.password}\n")
            browser.sign_in(browser.authorize)
            cookies.append(browser.session)
        return "|".join(cookies)

    def start(self, times=1):
        """Starts the server `times` times. Returns the shortest time to the first response, in milliseconds."""
        best = None
        for number in range(times):
            began = time.perf_counter()
            self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._wait_for_response()
            taken = (time.perf_counter() - began) * 1000
            best = taken if best is None else min(best, taken)
            if number < times - 1:
                self.stop()
        time.sleep(1)
        self.idle = self.resident()
        threading.Thread(target=self._watch, daemon=True).start()
        return best

    def _wait_for_response(self):
        # The loop can last minutes, because the bare server fills its database before it responds.
        for _ in range(200_000):
            try:
                connection = connect(self.port, self.browser().context)
                connection.request("GET", self.path)
                if connection.getresponse().status == 200:
                    return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"{self.command[0]} ended with {self.process.returncode}")
            time.sleep(0.0005)
        raise SystemExit(f"{self.command[0]} does not respond")

    def stop(self):
        self._watching.set()
        self._watching = threading.Event()
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    @contextlib.contextmanager
    def halted(self):
        """Suspends the process during the block."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        return {"idle": self.idle, "load": self.peak}

    def _watch(self):
        watching = self._watching
        while not watching.wait(0.1):
            try:
                self.peak = max(self.peak, self.resident())
            except OSError:
                return

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        """The resident memory in MiB."""
        return self._status("VmRSS")

    def anonymous(self):
        """The memory that belongs to no file (heap and stacks) in MiB. The rest depends on the page cache."""
        return self._status("RssAnon")

    def _status(self, field):
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith(f"{field}:"):
                    return int(line.split()[1]) / 1024
        return 0

    def database(self):
        """The size of the database with its write-ahead log in MiB."""
        files = [f"{self.data}/sallyport.db{end}" for end in ("", "-wal")]
        return sum(os.path.getsize(file) for file in files if os.path.exists(file)) / 2**20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
