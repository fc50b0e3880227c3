"""The operations to measure, each with its limit: what the same machine achieves without OAuth. The limit consists of one or two requests to the bare
routes of the program `Limits`. These requests sign as many tokens as the operation, and commit and read as many rows."""

import json
import os
import subprocess
import sys

scripts = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, "wrk"))
form_header = "Content-Type: application/x-www-form-urlencoded"


def say(text):
    print(text, file=sys.stderr, flush=True)


class Load:
    """One operation on one server, driven by wrk. Each turn gets new arguments for its script, because tokens expire."""

    def __init__(self, name, server, script, words):
        """`words` returns the arguments of the script for a number of connections."""
        self.name = name
        self.server = server
        self.script = script
        self.words = words

    def run(self, connections, seconds, pause=0, words=None):
        """Runs one turn. `pause` is the pause of a connection before each request, in milliseconds. `words` are the script's arguments."""
        chain = self.script != "fixed.lua"
        script = [f"{scripts}/chain.lua"] if chain else [f"{scripts}/fixed.lua"]
        words = ([f"{scripts}/{self.script}"] if chain else []) + (words or self.words(connections))
        # One thread per connection if a request depends on the response before it.
        threads = connections if chain else 1
        return measured(self.name, self.server, lambda: wrk(
            self.server, threads, connections, seconds, script, words, "RESULT", pause))


def measured(name, server, run):
    """Calls `run`, which returns the result and the warnings of a load generator. Returns the rate in operations per second, the latencies in
    milliseconds, and for each operation the processor times in microseconds and the number of disk writes."""
    database = server.postgres
    before, database_before = server.processor_seconds(), database.processor_seconds() if database else 0
    writes_before = database.writes() if database else 0
    result, warnings = run()
    used = server.processor_seconds() - before
    database_used = database.processor_seconds() - database_before if database else 0
    writes = database.writes() - writes_before if database else 0
    if result["errors"]:
        say(f"{name}: {result['errors']} errors {warnings.strip()}")
    operations = max(result["operations"], 1)
    return {"rate": result["operations"] / result["seconds"], "p50": result["p50"] / 1000, "p99": result["p99"] / 1000,
            "processor": used / operations * 1e6, "database": database_used / operations * 1e6, "writes": writes / operations,
            "errors": result["errors"]}


def wrk(server, threads, connections, seconds, script, words, mark, pause=0):
    """Runs wrk. Returns what the script prints at its end in the line that begins with `mark`, and wrk's error output. `pause` is in
    milliseconds."""
    command = ["wrk", "-t", str(threads), "-c", str(connections), "-d", f"{max(1, round(seconds))}s", "--timeout", "30s",
               "-s", *script, f"{server.scheme}://localhost:{server.port}/", "--", *words]
    output = subprocess.run(command, capture_output=True, text=True, env=os.environ | {
        "SALLYPORT_WRK": scripts, "SALLYPORT_PAUSE": str(pause)})
    for line in output.stdout.splitlines():
        if line.startswith(mark):
            return json.loads(line.removeprefix(mark)), output.stderr
    raise SystemExit(f"wrk failed: {output.stdout}{output.stderr}")


def operations(server, limits, browser, sessions=None, known=None):
    """The operations by name, each with its limit.

    `server` runs the operations, and `limits` is the server with the bare routes. `sessions` are the session cookies for the code
    flow; the default is the session of `browser`. `known` is a file with the refresh tokens to use; by default, each connection gets a new token
    of `browser`. On PostgreSQL, the bare routes of the code flow and of the refresh run the same statements as the server."""
    def fixed(name, server, method, path, body=lambda: "", headers=lambda: []):
        return Load(name, server, "fixed.lua", lambda _: [method, path, body(), *headers()])

    def bare(name, path, like):
        """A load that sends the same request as the load `like`, but to a bare route."""
        def words(connections):
            method, _, *rest = like.words(connections)
            return [method, path, *rest]
        return Load(name, limits, "fixed.lua", words)

    def bearer():
        return [f"Authorization: Bearer {browser.tokens()['access_token']}"]

    def service():
        return [f"Authorization: {browser.service}", form_header]

    flow = Load("code flow", server, "flow.lua", lambda _: [browser.authorize, sessions or browser.session, "/token", browser.code_form])
    authorize = fixed("authorize", server, "GET", browser.authorize, headers=lambda: [f"Cookie: {browser.session}"])
    refresh = Load("refresh", server, "refresh.lua", lambda connections: [
        "/token", browser.refresh_form, *(browser.tokens()["refresh_token"] for _ in range(connections))])
    if known:
        refresh = Load("refresh", server, "refresh-many.lua", lambda connections: ["/token", browser.refresh_form, str(connections), known])
    credentials = fixed(
        "client credentials", server, "POST", "/token", lambda: "grant_type=client_credentials", service)
    # Introspection and userinfo read the grant and its account in one snapshot of the database, like the route /read/2.
    introspection = fixed("introspection", server, "POST", "/introspect", browser.introspected, service)
    userinfo = fixed("userinfo", server, "GET", "/userinfo", headers=bearer)
    discovery = fixed("discovery", server, "GET", "/.well-known/openid-configuration")
    keys = fixed("JWKS", server, "GET", "/jwks.json")
    query = browser.authorize.partition("?")[2]
    flow_limit = Load("bare: 3 rows, then 2 tokens and 2 rows", limits, "pair.lua", lambda _: [
        f"/work/0/3?{query}", browser.session, "/work/2/2", f"{browser.code_form}&code={'c' * 43}"])
    refresh_limit = Load("bare: 2 tokens, 3 rows", limits, "single.lua", lambda _: [
        "/work/2/3", f"{browser.refresh_form}&refresh_token={'r' * 43}"])
    if server.postgres:
        flow_limit = Load("bare: the same statements, 2 tokens", limits, "pair.lua", lambda _: [
            f"/code?{query}", browser.session, "/code", f"{browser.code_form}&code={'c' * 43}"])
        refresh_limit = Load("bare: the same statements, 2 tokens", limits, "single.lua", lambda _: [
            "/refresh", f"{browser.refresh_form}&refresh_token={'r' * 43}"])
    return {
        "code flow": (flow, flow_limit),
        "authorize": (authorize, bare("bare: 3 rows", f"/work/0/3?{query}", authorize)),
        "refresh": (refresh, refresh_limit),
        "client credentials": (credentials, bare("bare: 1 token", "/work/1/0", credentials)),
        "introspection": (introspection, bare("bare: 2 reads", "/read/2", introspection)),
        "userinfo": (userinfo, bare("bare: 2 reads", "/read/2", userinfo)),
        "discovery": (discovery, bare("bare route", "/bare", discovery)),
        "JWKS": (keys, bare("bare route", "/bare", keys)),
    }
