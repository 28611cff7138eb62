"""The area `polls`."""


def ask(people):
    ada, ben = (people.person(name) for name in ("ada", "ben"))
    for multiple in (False, True):
        status = ada.post("/api/v1/statuses", status="Which?", poll=poll(multiple))
        path = f"/api/v1/polls/{status['poll']['id']}"
        people.ask("GET", path)
        for reader in (ada, ben):
            reader.get(path)
        ben.post(f"{path}/votes", choices=[0, 1] if multiple else [1])
        ben.get(path)
        ben.get(f"/api/v1/statuses/{status['id']}")
        people.ask("GET", f"/api/v1/statuses/{status['id']}/history")


def poll(multiple):
    return {
        "options": ["siskins", "goldfinches", "both"],
        "expires_in": 3600,
        "multiple": multiple,
        # One of the two polls hides its totals.
        "hide_totals": multiple,
    }
