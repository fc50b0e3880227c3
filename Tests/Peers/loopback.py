"""What an app needs besides its OAuth library: a loopback receiver, and the server's metadata."""

import http.server
from urllib.parse import urlencode

import requests


def fetch(url):
    response = requests.get(url, timeout=10)
    response.raise_for_status()
    return response.json()


def discover(issuer):
    metadata = fetch(issuer + "/.well-known/openid-configuration")
    assert metadata["issuer"] == issuer
    return metadata


def end_session(metadata, client_id, id_token):
    """OpenID Connect RP-Initiated Logout: the URL that signs the user out in the browser."""
    return metadata["end_session_endpoint"] + "?" + urlencode({"id_token_hint": id_token, "client_id": client_id})


class Receiver:
    """Waits on a loopback port for one authorization response on one path."""

    def __init__(self, path):
        receiver = self
        self.path = path
        self.response = None

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.split("?")[0] == path:
                    receiver.response = self.path
                self.send_response(200 if receiver.response else 404)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.redirect_uri = self.origin + path

    def wait(self):
        """Waits for the response. Returns its URL: the redirect URI with the parameters of the response."""
        while self.response is None:
            self.server.handle_request()
        return self.origin + self.response
