"""Accounts as staff see them, and decisions about sign-ups, of the area `admin`."""
import json

ADMIN = "/api/v1/admin/accounts"
LISTS = {
    ADMIN: ({}, {"pending": True}, {"local": True, "staff": True}, {"username": "dor"}),
    "/api/v2/admin/accounts": (
        {"status": "pending", "limit": 1},
        {"permissions": "staff", "email": "emil@example.com"},
    ),
}


def ask(people):
    staff = people.person(
        "emil", role="Moderator", scopes="read admin:read:accounts admin:write:accounts"
    )
    ids = [waiting(people, name) for name in ("dora", "doris", "dorothea")]
    for path, queries in LISTS.items():
        for query in queries:
            staff.get(path, **query)
    for account in (ids[0], staff.id):
        staff.get(f"{ADMIN}/{account}")
    for action in ("approve", "reject"):
        account = ids.pop()
        staff.post(f"{ADMIN}/{account}/{action}")


def waiting(people, name):
    """Creates an account that waits for approval, and returns its id."""
    email = f"{name}@example.com"
    made = people.siskin("accounts", "create", name, "--email", email, "--unapproved")
    return json.loads(made)["id"]
