"""The area `search`: accounts, statuses and hashtags."""


def ask(people):
    petra, oscar = (people.person(name) for name in ("petra", "oscar"))
    petra.patch("/api/v1/accounts/update_credentials", indexable=True)
    petra.post("/api/v1/statuses", status="A #kestrel over Oscar's field")
    for kind in (None, "accounts", "statuses", "hashtags"):
        of_kind = {"type": kind} if kind else {}
        oscar.get("/api/v2/search", q="kestrel", resolve=False, **of_kind)
        people.ask("GET", "/api/v2/search", params={"q": "petra", **of_kind})
    found = oscar.get("/api/v2/search", q="kestrel from:petra -is:reply", type="statuses")
    newest = found["statuses"][0]["id"]
    oscar.get("/api/v2/search", q="kestrel", type="statuses", max_id=newest, account_id=petra.id)
    oscar.get("/api/v2/search", q="kestrel", type="hashtags", exclude_unreviewed=True, offset=0)
