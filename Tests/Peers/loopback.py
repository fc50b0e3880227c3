"""What an app has of its own beside its OAuth library: a loopback receiver, and the metadata."""

import http.server
from urllib.parse import urlencode

import requests


def fetch(url):
    answer = requests.get(url, timeout=10)
    answer.raise_for_status()
    return answer.json()


def discover(issuer):
    metadata = fetch(issuer + "/.well-known/openid-configuration")
    assert metadata["issuer"] == issuer
    return metadata


def end_session(metadata, client_id, id_token):
    """OpenID Connect RP-Initiated Logout: the URL that signs the person out of the browser."""
    return metadata["end_session_endpoint"] + "?" + urlencode({"id_token_hint": id_token, "client_id": client_id})


class Receiver:
    """Waits on a loopback port of its own for one answer on one path."""

    def __init__(self, path):
        receiver = self
        self.path = path
        self.answer = None

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.split("?")[0] == path:
                    receiver.answer = self.path
                self.send_response(200 if receiver.answer else 404)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.redirect_uri = self.origin + path

    def wait(self):
        """The whole URL of the answer."""
        while self.answer is None:
            self.server.handle_request()
        return self.origin + self.answer
