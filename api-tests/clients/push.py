"""Subscribes clients to push messages, and decrypts what a push service on loopback gets for them.

python push.py BASE_URL SISKIN PORT

SISKIN is the program of the server, which may connect to PORT. The messages are decrypted by the
library http_ece, and the signatures are checked by the library cryptography. Prints a line for each
check, `ok` or `not ok`.
"""
import base64
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

import http_ece
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

BASE_URL, SISKIN, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
ORIGIN = f"http://127.0.0.1:{PORT}"
PATH = "/api/v1/push/subscription"
TIMEOUT = 30
# Ignores proxies of the environment, which must not be used for loopback.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Service(http.server.BaseHTTPRequestHandler):
    """The push service. It accepts every message."""

    received = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append((self.path, self.headers, body))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Client:
    """A client of an account, with its own token and keys."""

    def __init__(self, name, path, standard):
        self.name, self.path, self.standard = name, path, standard
        made = siskin("tokens", "create", "--account", name, "--scopes", "read write follow push")
        self.token = json.loads(made)["access_token"]
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
        with OPENER.open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)

    def subscribe(self):
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        self.subscription = self.ask("POST", PATH, {
            "subscription": {
                "endpoint": ORIGIN + self.path,
                "keys": {"p256dh": encoded(point), "auth": encoded(self.auth)},
                "standard": self.standard,
            },
            "data": {"alerts": {"mention": True}},
        })

    def read(self, headers, body):
        """Decrypts a message."""
        if self.standard:
            text = http_ece.decrypt(
                body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"
            )
        else:
            salt, keys = parameters(headers["Encryption"]), parameters(headers["Crypto-Key"])
            text = http_ece.decrypt(
                body,
                salt=decoded(salt["salt"]),
                dh=decoded(keys["dh"]),
                private_key=self.key,
                auth_secret=self.auth,
                version="aesgcm",
            )
        return json.loads(text)


def parameters(header):
    return dict(part.strip().split("=", 1) for part in re.split("[;,]", header))


def siskin(*arguments):
    done = subprocess.run([SISKIN, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def check_signature(client, headers):
    """Checks the signature of a message, and the claims that it covers."""
    scheme, rest = headers["Authorization"].split(" ", 1)
    if client.standard:
        assert scheme == "vapid", scheme
        signed, key = parameters(rest)["t"], parameters(rest)["k"]
    else:
        assert scheme == "WebPush", scheme
        signed, key = rest, parameters(headers["Crypto-Key"])["p256ecdsa"]
    assert key == client.subscription["server_key"], key
    covered, signature = signed.rsplit(".", 1)
    signature = decoded(signature)
    number = [int.from_bytes(part, "big") for part in (signature[:32], signature[32:])]
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))
    algorithm = ec.ECDSA(hashes.SHA256())
    public.verify(encode_dss_signature(*number), covered.encode(), algorithm)
    try:
        public.verify(encode_dss_signature(*number), b"other", algorithm)
        raise AssertionError("every text is signed")
    except InvalidSignature:
        pass
    header, claims = (json.loads(decoded(part)) for part in covered.split("."))
    assert header == {"typ": "JWT", "alg": "ES256"}, header
    assert claims["aud"] == ORIGIN, claims
    assert time.time() < claims["exp"] <= time.time() + 24 * 3600, claims
    assert claims["sub"].startswith(("mailto:", "https:", "http:")), claims


def messages(count):
    """Waits until the push service has this many messages."""
    until = time.monotonic() + TIMEOUT
    while len(Service.received) < count:
        assert time.monotonic() < until, f"{len(Service.received)} of {count} messages arrived"
        time.sleep(0.05)
    return Service.received[:count]


def check(name, run):
    try:
        run()
        print(f"ok      {name}", flush=True)
    except Exception as fault:
        print(f"not ok  {name}: {fault!r}"[:2000], flush=True)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("alice", "bob"):
        email, password = f"{name}@example.com", f"password of {name}"
        siskin("accounts", "create", name, "--email", email, "--password", password)
    clients = {
        "standard": Client("alice", "/standard?a=b", True),
        "draft": Client("alice", "/draft", False),
    }
    bob = Client("bob", "/bob", True)
    for client in clients.values():
        client.subscribe()
    text = "Tom & Jerry <3 👩‍👩‍👧‍👦 " + "é" * 20
    status = bob.ask("POST", "/api/v1/statuses", {"status": f"@alice {text}"})
    notification = clients["draft"].ask("GET", "/api/v1/notifications")[0]
    assert notification["status"]["id"] == status["id"], notification

    def arrived(client):
        found = [one for one in messages(2) if one[0] == client.path]
        assert len(found) == 1, Service.received
        return found[0]

    for encoding, client in clients.items():
        def decrypts(client=client):
            _, headers, body = arrived(client)
            message = client.read(headers, body)
            assert message == {
                "access_token": client.token,
                "preferred_locale": "en",
                "notification_id": notification["id"],
                "notification_type": "mention",
                "icon": notification["account"]["avatar_static"],
                "title": "bob mentioned you",
                "body": f"@alice {text}",
            }, message

        def is_signed(client=client):
            check_signature(client, arrived(client)[1])

        def has_headers(client=client):
            headers = arrived(client)[1]
            wanted = "aes128gcm" if client.standard else "aesgcm"
            assert headers["Content-Encoding"] == wanted, headers
            assert 0 < int(headers["TTL"]) <= 48 * 3600, headers

        check(f"{encoding}: http_ece decrypts the message", decrypts)
        check(f"{encoding}: the message is signed", is_signed)
        check(f"{encoding}: the headers are complete", has_headers)
    check("no message is sent twice", lambda: len(Service.received) == 2 or 1 / 0)


main()
