"""The area `accounts`: registration, profiles, relationships, and search for accounts."""
import pathlib

PICTURE = pathlib.Path("crates/http/assets/avatar.png").read_bytes()


def ask(people):
    mira, noor, kenji = (people.person(name) for name in ("mira", "noor", "kenji"))
    profiles(mira)
    readable(people, mira, noor)
    relationships(mira, noor, kenji)
    requests_to_follow(noor, kenji)
    found(people, mira, noor, kenji)
    sign_up(people)


def profiles(mira):
    picture = ("avatar.png", PICTURE, "image/png")
    mira.upload(
        "PATCH",
        "/api/v1/accounts/update_credentials",
        {"avatar": picture, "header": picture},
        **{
            "display_name": "Mira Vogel",
            "note": "Birds, and what they say. #birds",
            "discoverable": "true",
            "fields_attributes[0][name]": "Site",
            "fields_attributes[0][value]": "https://mira.example",
        },
    )
    mira.get("/api/v1/profile")
    mira.patch("/api/v1/profile", note="Birds at the feeder. #birds")
    mira.delete("/api/v1/profile/avatar")
    mira.delete("/api/v1/profile/header")
    mira.get("/api/v1/preferences")


def readable(people, mira, noor):
    mira.post("/api/v1/statuses", status="Three siskins this morning")
    for token in (None, noor.token):
        people.ask("GET", f"/api/v1/accounts/{mira.id}", token)
        people.ask("GET", f"/api/v1/accounts/{mira.id}/statuses", token)
        people.ask("GET", "/api/v1/accounts/lookup", token, params={"acct": "mira"})
        people.ask("GET", "/api/v1/accounts", token, params={"id[]": [mira.id, noor.id]})
    noor.get(f"/api/v1/accounts/{mira.id}/identity_proofs")


def relationships(mira, noor, kenji):
    mira.act_on(noor, "follow", notify=True, languages=["en", "de"])
    mira.act_on(kenji, "follow", reblogs=False)
    noor.act_on(kenji, "follow")
    for path in ("/api/v1/relationships", "/api/v1/accounts/relationships"):
        mira.get(path, **{"id[]": [noor.id, kenji.id]})
    noor.get(f"/api/v1/accounts/{kenji.id}/followers")
    kenji.get(f"/api/v1/accounts/{mira.id}/following")
    mira.get("/api/v1/accounts/familiar_followers", **{"id[]": kenji.id})
    mira.act_on(noor, "note", comment="Met at the lake")
    mira.act_on(noor, "endorse")
    mira.act_on(kenji, "pin")
    mira.get("/api/v1/endorsements")
    noor.get(f"/api/v1/accounts/{mira.id}/endorsements")
    mira.act_on(noor, "unendorse")
    mira.act_on(kenji, "unpin")
    kenji.act_on(mira, "remove_from_followers")
    mira.act_on(noor, "mute", duration=3600, notifications=False)
    mira.act_on(kenji, "mute")
    mira.get("/api/v1/mutes")
    mira.act_on(noor, "unmute")
    mira.act_on(kenji, "unmute")
    mira.act_on(kenji, "block")
    mira.get("/api/v1/blocks")
    mira.act_on(kenji, "unblock")
    mira.act_on(noor, "unfollow")
    mira.post("/api/v1/domain_blocks", domain="noise.example")
    mira.get("/api/v1/domain_blocks")
    mira.delete("/api/v1/domain_blocks", domain="noise.example")
    mira.post("/api/v1/follows", uri="noor")


def requests_to_follow(noor, kenji):
    noor.patch("/api/v1/accounts/update_credentials", locked=True)
    for answer in ("authorize", "reject"):
        kenji.act_on(noor, "unfollow")
        kenji.act_on(noor, "follow")
        noor.get("/api/v1/follow_requests")
        noor.post(f"/api/v1/follow_requests/{kenji.id}/{answer}")
    noor.patch("/api/v1/accounts/update_credentials", locked=False)


def found(people, mira, noor, kenji):
    mira.get("/api/v1/accounts/search", q="noor", resolve=False)
    mira.get("/api/v1/accounts/search", q="noor", following=True)
    for order in ("active", "new"):
        people.ask("GET", "/api/v1/directory", params={"order": order, "local": "true"})
    kenji.patch("/api/v1/accounts/update_credentials", discoverable=True)
    noor.act_on(kenji, "follow")
    mira.get("/api/v1/suggestions")
    mira.get("/api/v2/suggestions")
    mira.delete(f"/api/v1/suggestions/{kenji.id}")


def sign_up(people):
    app = people.ask(
        "POST",
        "/api/v1/apps",
        json={
            "client_name": "Contract",
            "redirect_uris": "urn:ietf:wg:oauth:2.0:oob",
            "scopes": "read write",
        },
    )
    granted = people.ask(
        "POST",
        "/oauth/token",
        json={
            "grant_type": "client_credentials",
            "client_id": app["client_id"],
            "client_secret": app["client_secret"],
            "scope": "read write",
        },
    )
    person = people.ask(
        "POST",
        "/api/v1/accounts",
        granted["access_token"],
        json={
            "username": "newcomer",
            "email": "newcomer@example.com",
            "password": "password of newcomer",
            "agreement": True,
            "locale": "en",
            "reason": "Birds",
        },
    )
    people.ask("POST", "/api/v1/emails/confirmations", person["access_token"])
