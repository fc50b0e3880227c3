"""A native app made with authlib: prints the URL to open, waits on its loopback port, and prints what it got as JSON.

Arguments: issuer, client identifier, path of the redirect URI. Everything is taken from the server's metadata.
"""

import http.server
import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

issuer, client_id, path = sys.argv[1:]


def fetch(url):
    answer = requests.get(url, timeout=10)
    answer.raise_for_status()
    return answer.json()


def verified(id_token, **expected):
    """The ID token's claims, after its signature and claims were checked against the published keys."""
    token = jwt.decode(id_token, KeySet.import_key_set(fetch(metadata["jwks_uri"])), algorithms=["ES256", "RS256"])
    required = {name: {"essential": True, "value": value} for name, value in expected.items()}
    jwt.JWTClaimsRegistry(exp={"essential": True}, iat={"essential": True}, **required).validate(token.claims)
    return token.claims


class Receiver(http.server.BaseHTTPRequestHandler):
    answer = None

    def do_GET(self):
        if self.path.startswith(path + "?"):
            Receiver.answer = self.path
        self.send_response(200 if Receiver.answer else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


metadata = fetch(issuer + "/.well-known/openid-configuration")
assert metadata["issuer"] == issuer
server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
redirect_uri = f"http://127.0.0.1:{server.server_port}{path}"
session = OAuth2Session(
    client_id, redirect_uri=redirect_uri, scope="openid profile offline_access", code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
verifier, nonce = generate_token(48), generate_token(24)
url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
print(url, flush=True)
while Receiver.answer is None:
    server.handle_request()

token = session.fetch_token(
    metadata["token_endpoint"], authorization_response=f"http://127.0.0.1:{server.server_port}{Receiver.answer}",
    code_verifier=verifier, state=state,
)
claims = verified(token["id_token"], iss=issuer, aud=client_id, nonce=nonce)
refreshed = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
userinfo = session.get(metadata["userinfo_endpoint"])
userinfo.raise_for_status()
revoked = session.revoke_token(metadata["revocation_endpoint"], token=refreshed["refresh_token"])
result = {
    "subject": claims["sub"],
    "userinfoSubject": userinfo.json()["sub"],
    "rotated": refreshed["refresh_token"] != token["refresh_token"],
    "renewed": refreshed["access_token"] != token["access_token"],
    "revocationStatus": revoked.status_code,
}
print(json.dumps(result))
