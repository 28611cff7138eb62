"""The area `instance`: its description and texts, emojis, peers, and announcements with reactions.

`contract.sh` has created an account of another server, which is the only peer.
"""
import datetime
import json
import pathlib
import tempfile
import time
import zipfile

PICTURE = pathlib.Path("crates/http/assets/avatar.png").read_bytes()


def add_emoji(people):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "birds.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("finch.png", PICTURE)
        people.siskin("emojis", "import", str(path), "--category", "Birds")


def describe(people):
    add_emoji(people)
    people.siskin("texts", "set", "extended-description", given="# Us\n\nWe like *birds*.")
    people.siskin("settings", "set", "domain_blocks.visibility", "all")
    people.siskin("rules", "add", "Be kind")
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    people.siskin("texts", "set", "terms-of-service", "--effective", date, given="Be kind")
    # A running server follows within a second.
    time.sleep(2)
    for path in ("v1/instance", "v2/instance"):
        people.ask("GET", f"/api/{path}")
    people.ask("GET", "/api/v1/custom_emojis")
    parts = (
        "activity",
        "domain_blocks",
        "extended_description",
        "languages",
        "peers",
        "privacy_policy",
        "rules",
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
    for name in ("\N{BIRD}", "\N{PENGUIN}", "finch"):
        xenia.put(f"{path}/reactions/{name}")
    xenia.get("/api/v1/announcements")
    xenia.delete(f"{path}/reactions/\N{BIRD}")
    xenia.post(f"{path}/dismiss")
    xenia.get("/api/v1/announcements")
