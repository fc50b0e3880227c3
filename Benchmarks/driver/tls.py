"""Measures TLS 1.3. Requests over existing connections are compared with the same requests without TLS. Refreshes that each make a new connection are
compared with OpenSSL's handshakes."""

import json
import os
import re
import statistics
import subprocess
import threading
import time

import load
from process import Server, free_port
from turns import alternating, median_of

OPERATIONS = ("refresh", "introspection", "discovery")


def measure(options, folder):
    certificate = make_certificate(f"{folder}/certificate")
    plain = Server.sallyportd(options.binaries, f"{folder}/plain")
    secured = Server.sallyportd(options.binaries, f"{folder}/tls", tls=certificate)
    handshakes = Handshakes(certificate)
    lines = [f"Existing connections: medians of {options.turns} pairs of turns of {options.seconds} s.", "",
             "| operation | connections | plain: per second | TLS 1.3 | share | plain: processor, µs | TLS 1.3 |",
             "|---|---|---|---|---|---|---|"]
    try:
        for server in (plain, secured):
            server.start()
        loads = [load.operations(server, server, server.signed_in()) for server in (plain, secured)]
        for name in options.only or OPERATIONS:
            for connections in options.connections:
                pair = [each[name][0] for each in loads]
                lines.append(kept_row(name, connections, *alternating(pair, connections, options.seconds, options.turns)))
                load.say(lines[-1])
        lines += ["", "New connections: one handshake and one refresh for each connection. The share is the rate of these refreshes, divided by the "
                  "rate of the handshakes of `openssl s_time` with `openssl s_server`. There are as many pairs of these programs as connections, but not more than cores.", "",
                  "| connections | refreshes per second | OpenSSL's handshakes | share | processor of the server, µs |",
                  "|---|---|---|---|---|"]
        refreshes = Refreshes(secured, loads[1]["refresh"][0], certificate, folder)
        for connections in options.connections:
            lines.append(new_row(connections, *alternating([refreshes, handshakes], connections, options.seconds, options.turns)))
            load.say(lines[-1])
    finally:
        plain.stop()
        secured.stop()
        handshakes.stop()
    print("\n".join(lines))


def kept_row(name, connections, plain, secured):
    share = statistics.median(s["rate"] / p["rate"] for p, s in zip(plain, secured))
    return (f"| {name} | {connections} | {median_of(plain, 'rate'):,.0f} | {median_of(secured, 'rate'):,.0f} | {share:.2f} "
            f"| {median_of(plain, 'processor'):.0f} | {median_of(secured, 'processor'):.0f} |")


def new_row(connections, refreshes, handshakes):
    share = statistics.median(r["rate"] / h["rate"] for r, h in zip(refreshes, handshakes))
    return (f"| {connections} | {median_of(refreshes, 'rate'):,.0f} | {median_of(handshakes, 'rate'):,.0f} | {share:.2f} "
            f"| {median_of(refreshes, 'processor'):.0f} |")


def make_certificate(path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{path}.key", "-out", f"{path}.crt"],
                   check=True, capture_output=True)
    os.chmod(f"{path}.key", 0o600)
    return path


class Refreshes:
    """Refreshes that each make a new connection with a TLS handshake. The C program `openssl/refreshes.c` sends them."""

    def __init__(self, server, load, certificate, folder):
        self.server, self.load, self.certificate = server, load, certificate
        self.program = f"{folder}/refreshes"
        source = os.path.join(os.path.dirname(__file__), os.pardir, "openssl", "refreshes.c")
        subprocess.run(["clang", "-O2", "-o", self.program, source, "-lssl", "-lcrypto", "-lpthread"], check=True)

    def run(self, connections, seconds):
        path, form, *tokens = self.load.words(connections)
        command = [self.program, str(self.server.port), str(max(1, seconds)), path, form, f"{self.certificate}.crt", *tokens]

        def run():
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return json.loads(done.stdout), done.stderr

        return load.measured("refresh over new connections", self.server, run)


class Handshakes:
    """Pairs of an OpenSSL server and client, which make full TLS 1.3 handshakes and do nothing else."""

    def __init__(self, certificate):
        self.pairs = []
        for _ in range(os.cpu_count()):
            port = free_port()
            self.pairs.append((port, subprocess.Popen(
                ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", f"{certificate}.crt", "-key", f"{certificate}.key",
                 "-tls1_3", "-quiet", "-WWW"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)))
        time.sleep(0.5)

    def run(self, connections, seconds):
        rates = []
        threads = [threading.Thread(target=lambda port=port: rates.append(self._rate(port, seconds)))
                   for port, _ in self.pairs[:connections]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"rate": sum(rates)}

    @staticmethod
    def _rate(port, seconds):
        began = time.monotonic()
        output = subprocess.run(["openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-tls1_3", "-time", str(max(1, seconds))],
                                capture_output=True, text=True).stdout
        # s_time rounds the time to seconds, so this function measures the time.
        count = re.search(r"^(\d+) connections in [\d.]+s;", output, re.MULTILINE)
        if not count or not int(count[1]):
            raise SystemExit(f"no handshakes with openssl s_time: {output}")
        return int(count[1]) / (time.monotonic() - began)

    def stop(self):
        for _, process in self.pairs:
            process.kill()
            process.wait()
