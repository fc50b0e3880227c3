"""Runs django-oauth-toolkit as an OpenID provider, with one user and one public client.

The provider uses its own pages and a SQLite database.

Arguments: folder, port, client identifier, redirect URI, name of the user. The password comes from standard input.
"""

import os
import pathlib
import subprocess
import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

folder, port, client_id, redirect_uri, name = sys.argv[1:]
password = sys.stdin.readline().rstrip("\n")
key = subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True, text=True).stdout

settings.configure(
    SECRET_KEY=os.urandom(24).hex(),
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": pathlib.Path(folder) / "django.sqlite"}},
    INSTALLED_APPS=[
        "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.messages",
        "django.contrib.sessions", "django.contrib.staticfiles", "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.PBKDF2PasswordHasher"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    # Without migrations, Django creates the tables from the models. The database is new, so nothing needs to be
    # migrated.
    MIGRATION_MODULES={app: None for app in ["admin", "auth", "contenttypes", "sessions", "oauth2_provider"]},
    STATIC_URL="/static/",
    LOGIN_URL="/admin/login/",
    USE_TZ=True,
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": key,
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "SCOPES": {scope: scope for scope in ["openid", "profile", "email", "offline_access"]},
        "ACCESS_TOKEN_EXPIRE_SECONDS": 600,
        # DJANGO_FLAGS names settings to turn on. Without them, the metadata also offers the PKCE method plain, and the
        # authorization responses have no iss (RFC 9207).
        **{flag: True for flag in os.environ.get("DJANGO_FLAGS", "").split()},
    },
)
django.setup()

from django.contrib import admin  # noqa: E402 - the models exist only after django.setup()
from django.contrib.auth import get_user_model  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402
from oauth2_provider.urls import metadata_urlpatterns  # noqa: E402

urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    # The metadata document. RFC 8414 §3 requires it at the root of the host, but the line above serves it only below
    # /o/.
    path("", include((metadata_urlpatterns, "oauth2_provider"), namespace="metadata")),
    path("admin/", admin.site.urls),
]


class Handler(WSGIRequestHandler):
    def address_string(self):
        return self.client_address[0]


call_command("migrate", run_syncdb=True, verbosity=0)
get_user_model().objects.create_user(name, password=password, first_name="Ada", is_staff=True)
get_application_model().objects.create(
    client_id=client_id, name=client_id, client_type="public", authorization_grant_type="authorization-code",
    redirect_uris=redirect_uri, algorithm="RS256",
)
server = ThreadedWSGIServer(("127.0.0.1", int(port)), Handler)
server.set_app(get_wsgi_application())
server.serve_forever()
