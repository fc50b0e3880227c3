"""An authenticator with one passkey (WebAuthn Level 3), and the browser's part of a registration and a sign-in."""

import base64
import hashlib
import html
import json
import os
import re

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    # The flags of the authenticator data (§6.1): user present, user verified, backup eligible, backed up.
    flags = 0b0001_1101
    has_attested_credential = 0b0100_0000

    def __init__(self, origin):
        self.origin = origin
        self.identifier = os.urandom(32)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.user = b""

    def respond(self, page):
        """Returns the URL to which the passkey form of a page is posted, and the form's fields. The field `response` has the authenticator's response."""
        form = re.search(r'<form id="passkey" method="post" action="([^"]+)" data-kind="([a-z]+)" data-options="([^"]+)"', page)
        if not form:
            raise SystemExit("the page has no form for a passkey")
        fields = {name: html.unescape(re.search(f'name="{name}" value="([^"]+)"', page[form.start():])[1]) for name in ("csrf", "challenge")}
        action, kind, options = (html.unescape(group) for group in form.groups())
        members = (self._create if kind == "create" else self._get)(json.loads(options))
        fields["response"] = json.dumps({
            "id": encode(self.identifier), "rawId": encode(self.identifier), "type": "public-key", "clientExtensionResults": {},
            "response": {name: encode(value) for name, value in members.items()}})
        return action, fields

    def _create(self, options):
        self.user = decode(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        # A COSE key, which is a CBOR map with the members EC2, ES256, P-256, x, and y (RFC 9053 §7.1.1).
        cose_key = (bytes.fromhex("a5010203262001215820") + numbers.x.to_bytes(32, "big") + bytes.fromhex("225820")
                    + numbers.y.to_bytes(32, "big"))
        aaguid = bytes(16)
        data = (self._data(options["rp"]["id"], self.flags | self.has_attested_credential) + aaguid
                + len(self.identifier).to_bytes(2, "big") + self.identifier + cose_key)
        # A CBOR map: "fmt" is "none", and "attStmt" is empty. The length of "authData" fits into the one byte after
        # 0x58.
        attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + bytes([len(data)]) + data
        return {"clientDataJSON": self._client_data("webauthn.create", options), "attestationObject": attestation}

    def _get(self, options):
        client_data = self._client_data("webauthn.get", options)
        data = self._data(options["rpId"], self.flags)
        signature = self.key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return {"clientDataJSON": client_data, "authenticatorData": data, "signature": signature, "userHandle": self.user}

    def _client_data(self, kind, options):
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}).encode()

    @staticmethod
    def _data(relying_party, flags):
        counter = bytes(4)
        return hashlib.sha256(relying_party.encode()).digest() + bytes([flags]) + counter
