"""A server that is measured: its start, its processor time, its memory."""

import http.client
import os
import signal
import socket
import subprocess
import threading
import time


class Server:
    def __init__(self, command, path, port):
        self.command = command
        self.path = path
        self.port = port
        self.process = None
        self.idle = 0
        self.peak = 0
        self._watching = threading.Event()

    @classmethod
    def sallyportd(cls, binaries, data):
        port = free_port()
        server = cls([f"{binaries}/sallyportd", "serve", "--data", data, "--port", str(port)],
                     "/.well-known/openid-configuration", port)
        server.binary = f"{binaries}/sallyportd"
        server.data = data
        # As an operator does it, and so that the first start that counts finds a database and keys.
        server.administer("user", "add", "ada", "--name", "Ada Lovelace", "--email", "ada@example.com",
                          text="correct horse battery staple\n")
        server.administer("client", "add", "--client-id", "benchmark", "--name", "Benchmark", "--redirect-uri",
                          "https://app.example.com/callback")
        return server

    @classmethod
    def limits(cls, binaries, folder):
        port = free_port()
        return cls([f"{binaries}/Limits", "serve", str(port), folder], "/bare", port)

    def administer(self, *words, text=""):
        subprocess.run([self.binary, *words, "--data", self.data], input=text.encode(), check=True, capture_output=True)

    def start(self, times=1):
        """Milliseconds to the first answer, of the last of so many starts that was the quickest."""
        best = None
        for number in range(times):
            began = time.perf_counter()
            self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._wait_for_answer()
            taken = (time.perf_counter() - began) * 1000
            best = taken if best is None else min(best, taken)
            if number < times - 1:
                self.stop()
        time.sleep(1)
        self.idle = self.resident()
        threading.Thread(target=self._watch, daemon=True).start()
        return best

    def _wait_for_answer(self):
        for _ in range(20_000):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", self.path)
                if connection.getresponse().status == 200:
                    return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"{self.command[0]} ended with {self.process.returncode}")
            time.sleep(0.0005)
        raise SystemExit(f"{self.command[0]} does not answer")

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
        """In MiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
