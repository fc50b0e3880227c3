"""What is measured, each operation beside the bare route that signs as many tokens and commits as many rows."""

import json
import os
import subprocess
import sys

folder = os.path.join(os.path.dirname(__file__), os.pardir, "wrk")


def say(text):
    print(text, file=sys.stderr, flush=True)


class Load:
    """One operation on one server, driven by wrk."""

    def __init__(self, name, server, script, words=lambda connections: [], path="/", headers=()):
        self.name = name
        self.server = server
        self.script = script
        self.words = words
        self.path = path
        self.headers = headers

    def run(self, connections, seconds):
        chain = self.script != "fixed.lua"
        # A thread for each connection where a request follows from the answer before it.
        threads = connections if chain else 1
        words = self.words(connections)
        script = [f"{folder}/chain.lua"] if chain else [f"{folder}/fixed.lua"]
        headers = [word for header in self.headers for word in ("-H", header)]
        command = ["wrk", "-t", str(threads), "-c", str(connections), "-d", f"{max(1, round(seconds))}s", "-s", *script, *headers,
                   f"http://localhost:{self.server.port}{self.path}", "--"]
        if chain:
            command += [f"{folder}/{self.script}", *words]
        before = self.server.processor_seconds()
        output = subprocess.run(command, capture_output=True, text=True)
        used = self.server.processor_seconds() - before
        lines = [line for line in output.stdout.splitlines() if line.startswith("RESULT ")]
        if not lines:
            raise SystemExit(f"wrk failed: {output.stdout}{output.stderr}")
        result = json.loads(lines[0].removeprefix("RESULT "))
        if result["errors"]:
            say(f"{self.name}: {result['errors']} errors {output.stderr.strip()}")
        operations = max(result["operations"], 1)
        return {"rate": result["operations"] / result["seconds"], "p50": result["p50"] / 1000, "p99": result["p99"] / 1000,
                "processor": used / operations * 1e6, "errors": result["errors"]}


def operations(server, limits, browser):
    """By name: the operation and its limit."""
    def pair(name, first, second):
        return Load(name, limits, "pair.lua", lambda _: [first, second])

    def bare(path, name):
        return Load(name, limits, "fixed.lua", path=path)

    def document(name, path):
        return Load(name, server, "fixed.lua", path=path)

    access_token = browser.tokens()["access_token"]
    flow = Load("code flow", server, "flow.lua", lambda _: [browser.authorize, browser.cookie, "/token", browser.code_form])
    refresh = Load("refresh", server, "refresh.lua", lambda connections: [
        "/token", browser.refresh_form, *(browser.tokens()["refresh_token"] for _ in range(connections))])
    userinfo = Load("userinfo", server, "fixed.lua", path="/userinfo", headers=[f"Authorization: Bearer {access_token}"])
    route = bare("/bare", "bare route")
    return {
        "code flow": (flow, pair("bare: 3 rows, then 2 tokens and 2 rows", "/work/0/3", "/work/2/2")),
        "authorize": (Load("authorize", server, "fixed.lua", path=browser.authorize, headers=[f"Cookie: {browser.cookie}"]),
                      bare("/work/0/3", "bare: 3 rows")),
        "refresh": (refresh, bare("/work/2/3", "bare: 2 tokens, 3 rows")),
        "userinfo": (userinfo, bare("/read", "bare: 1 read")),
        "discovery": (document("discovery", "/.well-known/openid-configuration"), route),
        "JWKS": (document("JWKS", "/jwks.json"), route),
    }
