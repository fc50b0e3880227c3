"""Runs canaille, an identity provider based on authlib, with one user and one public client.

The provider uses its own pages and keeps all data in memory.

Arguments: port, client identifier, redirect URI, name of the user. The password comes from standard input.
"""

import datetime
import os
import sys

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

port, client_id, redirect_uri, name = sys.argv[1:]
password = sys.stdin.readline().rstrip("\n")
scope = ["openid", "profile", "email"]

app = create_app({
    "SECRET_KEY": os.urandom(24).hex(),
    # Without a configured name, canaille's issuer is the Host field with a slash at the end.
    "SERVER_NAME": f"localhost:{port}",
    "PREFERRED_URL_SCHEME": "http",
    # Flask-Session would otherwise limit the cookie to https.
    "SESSION_COOKIE_SECURE": False,
    "CANAILLE": {"DATABASE": "memory", "JAVASCRIPT": False, "HTMX": False, "LOGGING": {"version": 1}},
    "CANAILLE_OIDC": {"ACTIVE_JWKS": [RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True)]},
})
with app.app_context(), Backend.instance.session():
    user = models.User(
        user_name=name, password=password, formatted_name="Ada Lovelace", given_name="Ada", family_name="Lovelace",
        emails=["ada@example.com"],
    )
    client = models.Client(
        client_id=client_id, client_name=client_id, redirect_uris=[redirect_uri], scope=scope, response_types=["code"],
        grant_types=["authorization_code", "refresh_token"], token_endpoint_auth_method="none",
        client_id_issued_at=datetime.datetime.now(datetime.timezone.utc),
    )
    Backend.instance.save(user)
    Backend.instance.save(client)
    # This list becomes the ID token's aud, which would otherwise be empty.
    client.audience = [client]
    Backend.instance.save(client)

server = make_server("127.0.0.1", int(port), app, threaded=True)
server.serve_forever()
