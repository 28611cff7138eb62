"""Accounts on the server, and requests with their tokens."""
import json
import subprocess

import requests


class Person:
    """A signed-in account."""

    def __init__(self, people, name, token):
        self.people, self.name, self.token = people, name, token
        self.account = self.get("/api/v1/accounts/verify_credentials")
        self.id = self.account["id"]

    def get(self, path, **query):
        return self.people.ask("GET", path, self.token, params=query)

    def post(self, path, **fields):
        return self.people.ask("POST", path, self.token, json=fields)

    def put(self, path, **fields):
        return self.people.ask("PUT", path, self.token, json=fields)

    def patch(self, path, **fields):
        return self.people.ask("PATCH", path, self.token, json=fields)

    def delete(self, path, **query):
        return self.people.ask("DELETE", path, self.token, params=query)

    def upload(self, method, path, files, **fields):
        return self.people.ask(method, path, self.token, files=files, data=fields)

    def act_on(self, other, action, **fields):
        return self.post(f"/api/v1/accounts/{other.id}/{action}", **fields)


class People:
    """The server as a whole. Writes each request and its response as a line of JSON to `recording`;
    the program `check-exchanges` documents the fields.
    """

    def __init__(self, base_url, program, recording):
        self.base_url, self.program, self.recording = base_url, program, recording
        self.session = requests.Session()
        # Ignores proxies of the environment, which must not be used for loopback.
        self.session.trust_env = False
        self.session.hooks["response"] = lambda answer, **_: self.record(answer, answer.text)

    def siskin(self, *arguments, given=""):
        """Runs a command with a text on its standard input, and returns its output."""
        command = [self.program, *arguments]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
        return done.stdout

    def person(self, name, role=None, scopes="read write follow push"):
        email, password = f"{name}@example.com", f"password of {name}"
        roles = ["--role", role] if role else []
        self.siskin("accounts", "create", name, "--email", email, "--password", password, *roles)
        made = self.siskin("tokens", "create", "--account", name, "--scopes", scopes)
        return Person(self, name, json.loads(made)["access_token"])

    def ask(self, method, path, token=None, **request):
        """Sends a request and returns the JSON body; None if the response has none."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = self.base_url + path
        answer = self.session.request(method, url, headers=headers, timeout=30, **request)
        try:
            return answer.json()
        except ValueError:
            return None

    def record(self, answer, body):
        exchange = {
            "method": answer.request.method,
            "path": answer.request.path_url.split("?")[0],
            "status": answer.status_code,
            "content_type": answer.headers.get("Content-Type", ""),
            "body": body,
        }
        print(json.dumps(exchange), file=self.recording)
