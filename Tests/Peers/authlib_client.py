"""A native app made with authlib: prints the URL to open, waits on its loopback port, and prints
the results as JSON, with the URL that ends the user's session in the browser.

Arguments: issuer, client identifier, path of the redirect URI. Everything else comes from the server's metadata.
"""

import json
import sys

from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet
from loopback import Receiver, discover, end_session, fetch

issuer, client_id, path = sys.argv[1:]


def verified(id_token, **expected):
    """Verifies an ID token with the published keys and returns its claims."""
    token = jwt.decode(id_token, KeySet.import_key_set(fetch(metadata["jwks_uri"])), algorithms=["ES256", "RS256"])
    required = {name: {"essential": True, "value": value} for name, value in expected.items()}
    jwt.JWTClaimsRegistry(exp={"essential": True}, iat={"essential": True}, **required).validate(token.claims)
    return token.claims


metadata = discover(issuer)
receiver = Receiver(path)
session = OAuth2Session(
    client_id, redirect_uri=receiver.redirect_uri, scope="openid profile offline_access", code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
verifier, nonce = generate_token(48), generate_token(24)
url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
print(url, flush=True)

token = session.fetch_token(
    metadata["token_endpoint"], authorization_response=receiver.wait(), code_verifier=verifier, state=state,
)
claims = verified(token["id_token"], iss=issuer, aud=client_id, nonce=nonce)
refreshed = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
userinfo = session.get(metadata["userinfo_endpoint"])
userinfo.raise_for_status()
revoked = session.revoke_token(metadata["revocation_endpoint"], token=refreshed["refresh_token"])
try:
    session.refresh_token(metadata["token_endpoint"], refresh_token=refreshed["refresh_token"])
    ended = False
except OAuthError as error:
    ended = error.error == "invalid_grant"
result = {
    "subject": claims["sub"],
    "userinfoSubject": userinfo.json()["sub"],
    "rotated": refreshed["refresh_token"] != token["refresh_token"],
    "renewed": refreshed["access_token"] != token["access_token"],
    "revocationStatus": revoked.status_code,
    "ended": ended,
    "endSession": end_session(metadata, client_id, token["id_token"]),
}
print(json.dumps(result))
