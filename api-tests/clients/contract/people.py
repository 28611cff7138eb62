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
    """The server as a whole. `unexpected` collects the requests that did not succeed."""

    def __init__(self, base_url, program):
        self.base_url, self.program, self.unexpected = base_url, program, []
        self.session = requests.Session()
        # Ignores proxies of the environment, which must not be used for loopback.
        self.session.trust_env = False

    def siskin(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def person(self, name):
        self.siskin("accounts", "create", name, "--email", f"{name}@example.com", "--password", f"password of {name}")
        made = self.siskin("tokens", "create", "--account", name, "--scopes", "read write follow push")
        return Person(self, name, json.loads(made)["access_token"])

    def ask(self, method, path, token=None, **request):
        """Sends a request and returns the JSON body; None if the response has none."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self.session.request(method, self.base_url + path, headers=headers, timeout=30, **request)
        if not answer.ok:
            self.unexpected.append(f"{method} {path} is {answer.status_code}: {answer.text[:200]}")
        try:
            body = answer.json()
        except ValueError:
            return None
        # An empty list matches every schema, so it would prove nothing about the elements.
        if body == [] and not path.endswith("/identity_proofs"):
            self.unexpected.append(f"{method} {path} is empty")
        return body
