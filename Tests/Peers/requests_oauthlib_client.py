"""A native app made with requests-oauthlib: prints the URL to open, waits on its loopback port, and
prints the results as JSON, with the URL that ends the user's session in the browser.

Arguments: issuer, client identifier, path of the redirect URI. Everything else comes from the server's metadata.
"""

import json
import os
import sys

from loopback import Receiver, discover, end_session
from oauthlib.oauth2 import InvalidGrantError
from requests_oauthlib import OAuth2Session

# Without this variable, the library requires https even for the app's redirect URI, although RFC 8252 §8.3 permits http
# on loopback.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

issuer, client_id, path = sys.argv[1:]
metadata = discover(issuer)
receiver = Receiver(path)
renewals = []
session = OAuth2Session(
    client_id, redirect_uri=receiver.redirect_uri, scope=["openid", "profile", "offline_access"], pkce="S256",
    auto_refresh_url=metadata["token_endpoint"], auto_refresh_kwargs={"client_id": client_id}, token_updater=renewals.append,
)
url, state = session.authorization_url(metadata["authorization_endpoint"])
print(url, flush=True)

# Apps usually call `fetch_token` without `include_client_id`. The library then sends HTTP Basic credentials with an
# empty secret, although the client has no secret.
token = session.fetch_token(metadata["token_endpoint"], authorization_response=receiver.wait())
first = session.get(metadata["userinfo_endpoint"])
first.raise_for_status()
# Pretends that the token has expired. The library refreshes it before the next request.
session.token = {**token, "expires_in": -1, "expires_at": 1}
second = session.get(metadata["userinfo_endpoint"])
second.raise_for_status()
refreshed = renewals[0]
revoked = session.post(
    metadata["revocation_endpoint"], data={"token": refreshed["refresh_token"], "client_id": client_id}, withhold_token=True,
)
try:
    session.refresh_token(metadata["token_endpoint"], refresh_token=refreshed["refresh_token"], client_id=client_id)
    ended = False
except InvalidGrantError:
    ended = True
result = {
    "subject": first.json()["sub"],
    "userinfoSubject": second.json()["sub"],
    "rotated": refreshed["refresh_token"] != token["refresh_token"],
    "renewed": refreshed["access_token"] != token["access_token"],
    "revocationStatus": revoked.status_code,
    "ended": ended,
    "endSession": end_session(metadata, client_id, token["id_token"]),
}
print(json.dumps(result))
