"""Runs the programs that Scripts/examples has built, and the Python code of a guide, against a server on loopback. A simulated user signs in
without a browser.
"""

import base64
import contextlib
import hashlib
import html
import http.cookiejar
import http.server
import json
import os
import pathlib
import pty
import re
import secrets
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

GUIDE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "guides" / "protecting-an-api.md"
REDIRECT = "http://127.0.0.1/oauth2redirect/localhost"
NAME, PASSWORD = "ada", "correct horse battery staple"
LIMIT = 60  # The time limit of every wait, in seconds.


class User:
    """A user with a browser: keeps cookies, fills in the server's forms, and follows redirects within the server."""

    def __init__(self, issuer):
        self.issuer = issuer

        class NoRedirect(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies, NoRedirect)

    def open_page(self, url, form=None):
        """Returns the URL and the text of a page. The text is None if the server redirects to another origin."""
        body = urllib.parse.urlencode(form).encode() if form else None
        request = urllib.request.Request(url, body, {"Origin": self.issuer} if form else {})
        try:
            response = self.opener.open(request, timeout=LIMIT)
        except urllib.error.HTTPError as error:
            response = error
        text = response.read().decode()
        if response.status in range(300, 400):
            url = urllib.parse.urljoin(url, response.headers["Location"])
            return self.open_page(url) if url.startswith(self.issuer + "/") else (url, None)
        return url, text

    def complete_pages(self, url, **more):
        """Fills in forms until a page has no form, and returns the URL and the text of that page. Fails if a form has no known field.

        `more` are the values of other fields, by the name of the field."""
        url, text = self.open_page(url)
        known = {"username": NAME, "password": PASSWORD, "decision": "allow", **more}
        for _ in range(6):  # No sign-in has more pages.
            form = re.search(r'<form method="post" action="([^"]*)"', text or "")
            if not form:
                return url, text
            known_names = set(re.findall(r'name="(\w+)"', text)) & set(known)
            if not known_names:
                break
            fields = {name: known[name] for name in known_names}
            fields["csrf"] = re.search(r'name="csrf" value="([^"]*)"', text).group(1)
            url, text = self.open_page(urllib.parse.urljoin(url, html.unescape(form.group(1))), fields)
        raise SystemExit(f"examples: cannot complete the server's pages:\n{text}")


class Program:
    """A program in a terminal, with functions that wait for its output."""

    def __init__(self, words, environment):
        controller, terminal = pty.openpty()
        self.words, self.output = words, ""
        self.process = subprocess.Popen(
            [str(word) for word in words], env=environment, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal)
        os.close(terminal)
        threading.Thread(target=self.read, args=(controller,), daemon=True).start()

    def read(self, controller):
        with contextlib.suppress(OSError):
            while part := os.read(controller, 4096):
                self.output += part.decode(errors="replace").replace("\r\n", "\n")

    def wait(self, what, find):
        """Waits until `find` returns a true value, and returns that."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            # Checked before the output, because a program can write the expected output and then end.
            ended = self.process.poll() is not None
            if found := find():
                return found
            if ended:
                break
            time.sleep(0.05)
        self.fail(f"ended, or exceeded the time limit, while this script waited for {what}")

    def wait_for(self, pattern):
        return self.wait(pattern, lambda: re.search(pattern, self.output))

    def finish(self):
        try:
            if self.process.wait(LIMIT) != 0:
                self.fail(f"exited with {self.process.returncode}")
        except subprocess.TimeoutExpired:
            self.fail("did not exit")

    def fail(self, what):
        self.end()
        raise SystemExit(f"examples: {self.words[0]} {what}. Its output:\n{self.output}")

    def end(self):
        self.process.kill()
        self.process.wait()


class API(http.server.BaseHTTPRequestHandler):
    """The API that the web service calls. It responds with the path and the authentication scheme of the request,
    and with status 401 if the token is for another API."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        scheme, _, token = self.headers.get("Authorization", "none").partition(" ")
        payload = token.split(".")[1] if token.count(".") == 2 else ""
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)) or "{}")
        audiences = claims.get("aud", [])
        # Checks the audience, but not the signature.
        name = f"http://127.0.0.1:{self.server.server_port}"
        self.send_response(200 if name in ([audiences] if isinstance(audiences, str) else audiences) else 401)
        body = json.dumps({"path": self.path, "scheme": scheme}).encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Suite:
    """The example programs, a server with one user, and a home folder with a fake browser, which only stores the URL that it gets."""

    def __init__(self, programs, server, folder):
        self.programs, self.server, self.folder, self.running = programs, server, folder, []
        self.issuer = f"http://localhost:{free_port()}"
        self.environment = {
            "HOME": str(folder), "PATH": f"{folder}/bin:/usr/bin:/bin", "BROWSER": "fake-browser", "SALLYPORT_STORE": "file",
            "XDG_RUNTIME_DIR": str(folder),
        }
        browser = folder / "bin" / "fake-browser"
        browser.parent.mkdir()
        browser.write_text('#!/bin/sh\nprintf %s "$1" > "$HOME/url.part" && mv "$HOME/url.part" "$HOME/url"\n')
        browser.chmod(0o700)

    def start(self, *words):
        program = Program(words, self.environment)
        self.running.append(program)
        return program

    def operate(self, *words, text=""):
        """Runs a command of the server and returns its output."""
        words = [self.server, *words, "--data", self.folder / "data"]
        return subprocess.run(words, input=text, text=True, check=True, stdout=subprocess.PIPE).stdout

    def serve(self):
        self.operate("user", "add", NAME, text=PASSWORD + "\n")
        self.operate(
            "client", "add", "--client-id", "notes", "--name", "Notes", "--redirect-uri", REDIRECT)
        self.operate("client", "add", "--client-id", "status", "--name", "Status", "--device")
        port = self.issuer.rsplit(":", 1)[1]
        words = ["--data", self.folder / "data", "--issuer", self.issuer, "--port", port]
        self.start(self.server, "serve", *words).wait_for(self.issuer)

    def sign_in(self, program):
        """Signs in on the page that the program opened, and delivers the response to the program."""
        stored_url = self.folder / "url"
        program.wait("the browser to be opened", stored_url.exists)
        url, _ = User(self.issuer).complete_pages(stored_url.read_text())
        stored_url.unlink()
        urllib.request.urlopen(url, timeout=LIMIT).read()

    def usage(self):
        for name in ("CommandLine", "MCPClient", "MCPServer", "WebService"):
            for words in ([], ["-", "-", "-", "-", "-", "-"]):  # Too few arguments, and too many.
                result = subprocess.run([self.programs / name, *words], env=self.environment, capture_output=True, text=True, timeout=LIMIT)
                if result.returncode != os.EX_USAGE or "usage: " not in result.stderr.lower():
                    raise SystemExit(f"examples: {name} {words} exited with {result.returncode}: {result.stderr}")

    def command_line(self):
        for is_first in (True, False):
            program = self.start(self.programs / "CommandLine", self.issuer, "notes")
            if is_first:
                self.sign_in(program)
            program.finish()
            program.wait_for(rf"Signed in as \S+ at {self.issuer}")

    def web_service(self):
        api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
        threading.Thread(target=api.serve_forever, daemon=True).start()
        port = free_port()
        words = [self.issuer, "status", f"http://127.0.0.1:{api.server_port}", port]
        for is_first in (True, False):
            program = self.start(self.programs / "WebService", *words)
            if is_first:
                page, code = program.wait_for(r"Open (\S+) and enter (\S+)\.").groups()
                _, text = User(self.issuer).complete_pages(page, user_code=code)
                if "Your device is connected" not in text:
                    program.fail(f"could not be connected:\n{text}")
            program.wait("the service to accept connections", lambda: self.is_open(port))
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=LIMIT) as response:
                content = json.load(response)
            if content["path"] != "/status" or content["scheme"] not in ("Bearer", "DPoP"):
                program.fail(f"called the API with {content}")
            program.end()

    def mcp(self):
        port = free_port()
        self.start(self.programs / "MCPServer", self.issuer, port)
        url = f"http://127.0.0.1:{port}/mcp"
        self.running[-1].wait("the MCP server to accept connections", lambda: self.is_open(port))
        for is_first in (True, False):
            program = self.start(self.programs / "MCPClient", url)
            if is_first:
                self.sign_in(program)
            program.finish()
            program.wait_for(r'"tools":.*"whoami"')

    def post(self, path, form):
        request = urllib.request.Request(self.issuer + path, urllib.parse.urlencode(form).encode())
        with urllib.request.urlopen(request, timeout=LIMIT) as response:
            return response.read()

    def token(self, resource):
        """Returns an access token of the user for an API, or for no API if `resource` is None."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        common = {"client_id": "notes", "redirect_uri": REDIRECT} | ({"resource": resource} if resource else {})
        query = {"response_type": "code", "scope": "openid", "code_challenge": challenge, "code_challenge_method": "S256"} | common
        url, _ = User(self.issuer).complete_pages(f"{self.issuer}/authorize?{urllib.parse.urlencode(query)}")
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["code"][0]
        form = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier} | common
        return json.loads(self.post("/token", form))["access_token"]

    def guide(self):
        """Runs the Python code of the guide "Protecting an API". Only the address of the server in it is changed."""
        block = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S).group(1)
        definitions = {}
        exec(block.replace("https://id.example.com", self.issuer), definitions)
        api = definitions["API"]
        added = self.operate("client", "add", "--client-id", "notes-api", "--name", "Notes API", "--type", "service", "--audience", api)
        secret = added.split("\n")[1]
        token = self.token(api)

        def caller(token):
            return definitions["caller"](token, "notes-api", secret)

        claims = caller(token) or {}
        if claims.get("client_id") != "notes" or not claims.get("sub") or claims.get("iss") != self.issuer:
            raise SystemExit(f"examples: the guide's Python returns wrong claims for a valid token: {claims}")
        self.post("/revoke", {"token": token, "client_id": "notes"})
        wrong = {"for another API": self.token(api + "/"), "for no API": self.token(None), "that was revoked": token, "that is invalid": "x"}
        for name, token in wrong.items():
            if caller(token) is not None:
                raise SystemExit(f"examples: the guide's Python accepts a token {name}")

    @staticmethod
    def is_open(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0


def run(programs, server):
    """Signs in with each program, and starts it a second time. The second run must use the stored session, without the user."""
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(programs, server, pathlib.Path(folder))
        try:
            suite.serve()
            suite.usage()
            print("examples: wrong arguments print the usage", flush=True)
            for name, part in (("CommandLine", suite.command_line), ("WebService", suite.web_service), ("MCPServer and MCPClient", suite.mcp)):
                part()
                print(f"examples: {name} signed in, and was still signed in when started again", flush=True)
            suite.guide()
            print("examples: the guide's API in Python accepts only valid tokens", flush=True)
        finally:
            for program in suite.running:
                program.end()
