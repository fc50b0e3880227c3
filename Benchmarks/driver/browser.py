"""A person's browser, so far as the measurements need one: signs in and agrees once through the real forms."""

import base64
import hashlib
import html
import http.client
import json
import re
import urllib.parse


class Browser:
    scope = "openid profile email offline_access"
    redirect = "https://app.example.com/callback"
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    def __init__(self, port):
        self.port = port
        self.origin = f"http://localhost:{port}"
        self.cookie = ""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        self.authorize = "/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": "benchmark", "redirect_uri": self.redirect, "scope": self.scope,
            "state": "af0ifjsldkjaf0ifjsldkj", "nonce": "n-0S6_WzA2Mjn-0S6_WzA2Mj", "code_challenge": challenge,
            "code_challenge_method": "S256"})
        self.code_form = urllib.parse.urlencode({
            "grant_type": "authorization_code", "client_id": "benchmark", "redirect_uri": self.redirect,
            "code_verifier": self.verifier})
        self.refresh_form = urllib.parse.urlencode({"grant_type": "refresh_token", "client_id": "benchmark"})

    def sign_in(self, request):
        """Goes through the pages of an authorization request; where the browser is sent at last."""
        page = self.page(request)
        location = self._submit(page, username="ada", password="correct horse battery staple")
        location = self._submit(self.page(location), decision="allow")
        if "code=" not in location:
            raise SystemExit(f"no code after consent: {location}")
        return location

    def try_password(self, page, username, password):
        """What the form is answered with."""
        action, csrf = self._form(page)
        return self._ask("POST", action, urllib.parse.urlencode({"csrf": csrf, "username": username, "password": password}))[0]

    def tokens(self):
        """A whole flow."""
        status, headers, _ = self._ask("GET", self.authorize)
        code = re.search("[?&]code=([^&]+)", headers.get("Location", ""))
        if not code:
            raise SystemExit(f"no code: {status} {headers.get('Location')}")
        status, _, body = self._ask("POST", "/token", f"{self.code_form}&code={code[1]}")
        if status != 200:
            raise SystemExit(f"no tokens: {status} {body}")
        return json.loads(body)

    def page(self, location):
        """The page at the end of the redirects."""
        for _ in range(5):
            status, headers, body = self._ask("GET", location)
            if status == 200:
                return body
            location = headers["Location"]
        raise SystemExit(f"too many redirects: {location}")

    def _submit(self, page, **fields):
        action, fields["csrf"] = self._form(page)
        status, headers, body = self._ask("POST", action, urllib.parse.urlencode(fields))
        if status != 303:
            raise SystemExit(f"the form was refused: {status}")
        return headers["Location"]

    @staticmethod
    def _form(page):
        return (html.unescape(re.search('<form method="post" action="([^"]+)"', page)[1]),
                html.unescape(re.search('name="csrf" value="([^"]+)"', page)[1]))

    def _ask(self, method, path, form=None):
        headers = {"Host": f"localhost:{self.port}"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        if form is not None:
            headers |= {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path.removeprefix(self.origin), form, headers)
        response = connection.getresponse()
        body = response.read().decode()
        if cookie := response.headers["Set-Cookie"]:
            self.cookie = cookie.partition(";")[0]
        return response.status, response.headers, body
