"""Measures whether requests cost more with a larger database: loads a server with a small database and a server with a full one in turns."""

import base64
import ctypes
import hashlib
import mmap
import os
import statistics
import subprocess
import time

import load
from process import Server
from turns import alternating, median_of

# SMALL is the number of refresh tokens in the small database. KNOWN is the number of tokens in each database that the
# benchmark can send: a database contains only fingerprints, so the benchmark must have created the tokens itself.
SMALL, KNOWN = 10_000, 2_000


def measure(options, folder):
    if options.filled < SMALL:
        raise SystemExit(f"--filled must be at least {SMALL:,}, the size of the database that it is compared with")
    small, full = (Server.sallyportd(options.binaries, f"{folder}/{name}") for name in ("small", "full"))
    known = [fill(options.binaries, server, tokens) for server, tokens in ((small, SMALL), (full, options.filled))]
    lines = [f"{options.filled:,} refresh tokens, a database of {full.database():,.0f} MiB, compared with one of {SMALL:,}.", "",
             "| operation | connections | small: per second | full | ratio | small: p99, ms | full | small: processor, µs | full |",
             "|---|---|---|---|---|---|---|---|---|"]
    try:
        for server in (small, full):
            server.start()
        # The files stay in memory until these mappings are deleted.
        held = [hold(f"{server.data}/sallyport.db") for server in (small, full)]
        # `small` is only a placeholder for the server with the bare routes: this benchmark does not run the limits.
        loads = [operations(server, small, file) for server, file in zip((small, full), known)]
        for name in options.only or ("code flow", "refresh", "refresh of many", "userinfo"):
            for connections in options.connections:
                pair = [named[name] for named in loads]
                lines.append(comparison(name, connections, *alternating(pair, connections, options.seconds, options.turns)))
                load.say(lines[-1])
        lines += ["", f"Memory, highest under load: small {small.peak:.0f} MiB, full {full.peak:.0f} MiB."]
        del held
    finally:
        small.stop()
        full.stop()
    print("\n".join(lines))


def operations(server, limits, known):
    """The loads of all operations by name. "refresh of many" is an additional load, which refreshes the KNOWN tokens that `fill` wrote, one
    after the other."""
    browser = server.signed_in()
    named = {name: pair[0] for name, pair in load.operations(server, limits, browser).items()}
    return named | {"refresh of many": load.Load("refresh of many", server, "refresh-many.lua", lambda connections: [
        "/token", browser.refresh_form, str(connections), known])}


def fill(binaries, server, tokens, database=None):
    """Fills the server's SQLite database, or the PostgreSQL database at the URL `database`. Returns the path of a file with KNOWN
    valid tokens that are spread over the database."""
    load.say(f"writing {tokens:,} refresh tokens")
    began = time.monotonic()
    secrets = [opaque_token("slp_rt_") for _ in range(KNOWN)]
    fingerprints = "".join(f"{hashlib.sha256(secret.encode()).hexdigest()}\n" for secret in secrets)
    names = subprocess.run([f"{binaries}/Limits", "fill", database or f"{server.data}/sallyport.db", "benchmark", str(tokens)], check=True,
                           input=fingerprints, capture_output=True, text=True).stdout.splitlines()
    # Otherwise the system would write the new data to disk during the turns.
    os.sync()
    load.say(f"written in {time.monotonic() - began:.0f} s")
    file = f"{server.data}.tokens"
    with open(file, "w") as output:
        output.writelines(f"{secret}.{name}\n" for secret, name in zip(secrets, names, strict=True))
    return file


def hold(path):
    """Locks a file in memory. Otherwise, some machines remove pages from memory that were not read for a minute."""
    # 3 is MCL_CURRENT | MCL_FUTURE.
    if ctypes.CDLL(None, use_errno=True).mlockall(3) != 0:
        raise SystemExit(f"the database cannot be kept in memory: {os.strerror(ctypes.get_errno())}")
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)


def opaque_token(prefix):
    """A token as sallyportd issues it: a prefix, 32 random bytes, and the first four bytes of a digest as a checksum."""
    body = prefix + base64url(os.urandom(32))
    return body + base64url(hashlib.sha256(body.encode()).digest()[:4])


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def comparison(name, connections, small, full):
    ratio = statistics.median(of_full["rate"] / of_small["rate"] for of_small, of_full in zip(small, full))
    return (f"| {name} | {connections} | {median_of(small, 'rate'):,.0f} | {median_of(full, 'rate'):,.0f} | {ratio:.2f} "
            f"| {median_of(small, 'p99'):.2f} | {median_of(full, 'p99'):.2f} | {median_of(small, 'processor'):.0f} | {median_of(full, 'processor'):.0f} |")
