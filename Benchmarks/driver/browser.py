"""A browser with just what the measurements need: it signs in, consents, and signs out through the real forms."""

import base64
import hashlib
import html
import http.client
import json
import re
import ssl
import urllib.parse


def connect(port, context=None, **options):
    """Returns a connection to this machine: with TLS if there is a TLS context, and otherwise without encryption."""
    if context:
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=context, **options)
    return http.client.HTTPConnection("127.0.0.1", port, timeout=10, **options)


class Browser:
    scope = "openid profile email offline_access"
    redirect = "https://app.example.com/callback"
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    username, password = "ada", "correct horse battery staple"
    # The credentials of the client "service", an API that introspects access tokens. `service` is the value of its
    # Authorization field.
    service_secret = "a secret that only the benchmark uses"
    service = "Basic " + base64.b64encode(
        f"service:{urllib.parse.quote_plus(service_secret)}".encode()).decode()

    def __init__(self, port, address=None, source=None, tls=False):
        """`address` is sent to the server in X-Forwarded-For, as a proxy sends it. `source` is the address that the browser connects
        from. With `tls`, the browser accepts any certificate."""
        self.port = port
        self.address = address
        self.source = source and (source, 0)
        self.context = ssl._create_unverified_context() if tls else None
        self.origin = f"{'https' if tls else 'http'}://localhost:{port}"
        self.cookies = {}
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        self.authorize = "/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": "benchmark", "redirect_uri": self.redirect, "scope": self.scope,
            "state": "af0ifjsldkjaf0ifjsldkj", "nonce": "n-0S6_WzA2Mjn-0S6_WzA2Mj", "code_challenge": challenge,
            "code_challenge_method": "S256"})
        self.code_form = urllib.parse.urlencode({
            "grant_type": "authorization_code", "client_id": "benchmark", "redirect_uri": self.redirect,
            "code_verifier": self.verifier})
        self.refresh_form = urllib.parse.urlencode({"grant_type": "refresh_token", "client_id": "benchmark"})

    @property
    def session(self):
        """The session cookie."""
        # With https, the name of the cookie begins with `__Host-`.
        name = next(name for name in self.cookies if name.endswith("sallyport"))
        return f"{name}={self.cookies[name]}"

    def sign_in(self, request):
        """Signs in and consents on the pages of a request. Returns the URL of the redirect to the client."""
        location = self.submit(self.page(request), username=self.username, password=self.password)
        status, headers, body = self.send("GET", location)
        # A user who has consented before is not asked again.
        location = self.submit(body, decision="allow") if status == 200 else headers["Location"]
        if "code=" not in location:
            raise SystemExit(f"no code after consent: {location}")
        return location

    def try_password(self, page, username, password):
        """Submits the sign-in form of a page with this user name and password. Returns the status of the response."""
        action, csrf = self.form(page)
        return self.send("POST", action, urllib.parse.urlencode({"csrf": csrf, "username": username, "password": password}))[0]

    def sign_out(self):
        self.submit(self.page("/"), expected=200)

    def tokens(self):
        """Gets a code and redeems it. Returns the token response. The user must be signed in and have consented, so that the
        server shows no page."""
        status, headers, _ = self.send("GET", self.authorize)
        code = re.search("[?&]code=([^&]+)", headers.get("Location", ""))
        if not code:
            raise SystemExit(f"no code: {status} {headers.get('Location')}")
        status, _, body = self.send("POST", "/token", f"{self.code_form}&code={code[1]}")
        if status != 200:
            raise SystemExit(f"no tokens: {status} {body}")
        return json.loads(body)

    def whole_flow(self):
        """Pushes a request, signs in, consents if the user has not done so before, and redeems the code."""
        status, _, body = self.send("POST", "/par", self.authorize.partition("?")[2])
        if status != 201:
            raise SystemExit(f"the request was not pushed: {status} {body}")
        pushed = urllib.parse.urlencode({"client_id": "benchmark", "request_uri": json.loads(body)["request_uri"]})
        code = re.search("[?&]code=([^&]+)", self.sign_in(f"/authorize?{pushed}"))[1]
        status, _, body = self.send("POST", "/token", f"{self.code_form}&code={code}")
        if status != 200:
            raise SystemExit(f"no tokens: {status} {body}")

    def introspected(self):
        """Returns the body of an introspection request for a new access token, and checks that the token is active. The check
        reads `active` in the response, because the status is 200 even for an inactive token (RFC 7662 §2.2)."""
        form = urllib.parse.urlencode({"token": self.tokens()["access_token"]})
        status, _, body = self.send("POST", "/introspect", form, {"Authorization": self.service})
        if status != 200 or not json.loads(body)["active"]:
            raise SystemExit(f"no introspection: {status} {body}")
        return form

    def page(self, location):
        """Follows redirects, and returns the HTML of the page to which they lead."""
        for _ in range(5):
            status, headers, body = self.send("GET", location)
            if status == 200:
                return body
            location = headers["Location"]
        raise SystemExit(f"too many redirects: {location}")

    def submit(self, page, expected=303, **fields):
        """Posts the first form of a page, and fails if the response has another status than `expected`. Returns the address of the
        redirect, if any."""
        action, fields["csrf"] = self.form(page)
        status, headers, _ = self.post(action, fields)
        if status != expected:
            raise SystemExit(f"the form was rejected: {status}")
        return headers["Location"]

    def post(self, action, fields):
        return self.send("POST", action, urllib.parse.urlencode(fields))

    @staticmethod
    def form(page):
        """The action and the CSRF token of a page's form."""
        return (html.unescape(re.search('<form method="post" action="([^"]+)"', page)[1]),
                html.unescape(re.search('name="csrf" value="([^"]+)"', page)[1]))

    def send(self, method, path, form=None, more={}):
        """Sends a request with the cookies of the browser. `more` contains additional header fields. Returns the status, the
        header fields, and the body of the response."""
        headers = {"Host": f"localhost:{self.port}"} | more
        if self.address:
            headers["X-Forwarded-For"] = self.address
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if form is not None:
            headers |= {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        connection = connect(self.port, self.context, source_address=self.source)
        try:
            connection.request(method, path.removeprefix(self.origin), form, headers)
            response = connection.getresponse()
            body = response.read().decode()
        finally:
            connection.close()
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
            if not value:
                del self.cookies[name]
        return response.status, response.headers, body
