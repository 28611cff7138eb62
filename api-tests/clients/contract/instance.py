"""The area `instance`: its description and texts, and announcements with reactions.

Custom emojis and peers are left out: their lists would be empty here, which shows nothing.
"""
import json
import time


def describe(people):
    people.siskin("texts", "set", "extended-description", given="# Us\n\nWe like *birds*.")
    people.siskin("settings", "set", "domain_blocks.visibility", "all")
    people.siskin("rules", "add", "Be kind")
    date = "2026-01-01"
    people.siskin("texts", "set", "terms-of-service", "--effective", date, given="Be kind")
    # A running server follows within a second.
    time.sleep(2)
    for path in ("v1/instance", "v2/instance"):
        people.ask("GET", f"/api/{path}")
    parts = (
        "activity", "domain_blocks", "extended_description", "languages", "privacy_policy", "rules",
    )
    for part in parts:
        people.ask("GET", f"/api/v1/instance/{part}")
    people.ask("GET", "/api/v1/instance/terms_of_service")
    people.ask("GET", f"/api/v1/instance/terms_of_service/{date}")


def ask(people):
    describe(people)
    xenia = people.person("xenia")
    made = people.siskin("announcements", "publish", "Tea with @xenia #tea", "--json")
    path = f"/api/v1/announcements/{json.loads(made)['id']}"
    xenia.get("/api/v1/announcements")
    for name in ("\N{BIRD}", "\N{PENGUIN}"):
        xenia.put(f"{path}/reactions/{name}")
    xenia.get("/api/v1/announcements")
    xenia.delete(f"{path}/reactions/\N{BIRD}")
    xenia.post(f"{path}/dismiss")
    xenia.get("/api/v1/announcements")
