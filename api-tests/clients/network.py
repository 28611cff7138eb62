"""Fills a server with accounts and their content, by its commands and its API."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
import zlib


class Network:
    """Accounts on the server, and their content."""

    def __init__(self, base_url, program):
        self.base_url, self.program, self.tokens = base_url, program, {}

    def siskin(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"siskin {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def text(self, name, markdown, *options):
        """Writes a text about the instance."""
        command = [self.program, "texts", "set", name, *options]
        subprocess.run(command, input=markdown, text=True, check=True, capture_output=True)

    def person(self, name, **profile):
        secret = f"password of {name}"
        self.siskin("accounts", "create", name, "--email", f"{name}@example.com", "--password", secret)
        made = self.siskin("tokens", "create", "--account", name, "--scopes", "read write follow")
        self.tokens[name] = json.loads(made)["access_token"]
        self.call(name, "PATCH", "/api/v1/accounts/update_credentials", profile)

    def call(self, name, method, path, body=None):
        """Sends JSON with the token of a person, or without one if `name` is None."""
        headers = {"Content-Type": "application/json"}
        if name:
            headers["Authorization"] = f"Bearer {self.tokens[name]}"
        request = urllib.request.Request(
            self.base_url + path, method=method, data=json.dumps(body or {}).encode(), headers=headers
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)

    @staticmethod
    def square(size):
        """Returns a green PNG."""
        rows = (b"\0" + b"\x4c\x66\x14" * size) * size
        header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
        parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in parts
        )

    def emoji(self, name):
        """Adds a green square as the custom emoji of this name."""
        png = self.square(32)
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "emojis.zip"
            with zipfile.ZipFile(archive, "w") as file:
                file.writestr(f"{name}.png", png)
            self.siskin("emojis", "import", str(archive))

    def pictures(self, name):
        """Uploads a green avatar and a green header, as a multipart form."""
        boundary, png = "siskin-pages", self.square(64)
        part = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{{}}"; filename="a.png"\r\n'
            "Content-Type: image/png\r\n\r\n"
        )
        parts = [part.format(place).encode() + png + b"\r\n" for place in ("avatar", "header")]
        request = urllib.request.Request(
            f"{self.base_url}/api/v1/accounts/update_credentials",
            method="PATCH",
            data=b"".join(parts) + f"--{boundary}--\r\n".encode(),
            headers={
                "Authorization": f"Bearer {self.tokens[name]}",
                "Content-Type": f"multipart/form-data; boundary={boundary}",
            },
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(request, timeout=30).close()

    def post(self, name, text, to=None, **rest):
        answered = {"in_reply_to_id": to["id"]} if to else {}
        return self.call(name, "POST", "/api/v1/statuses", {"status": text, **answered, **rest})

    def act(self, name, action, status):
        return self.call(name, "POST", f"/api/v1/statuses/{status['id']}/{action}")
