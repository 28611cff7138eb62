"""The area `lists`."""


def ask(people):
    thea, olaf = (people.person(name) for name in ("thea", "olaf"))
    thea.act_on(olaf, "follow")
    made = thea.post("/api/v1/lists", title="Birds")
    path = f"/api/v1/lists/{made['id']}"
    thea.get("/api/v1/lists")
    thea.get(path)
    thea.put(path, title="Small birds", replies_policy="followed", exclusive=True)
    thea.post(f"{path}/accounts", account_ids=[olaf.id])
    thea.get(f"{path}/accounts")
    thea.get(f"{path}/accounts", limit=1)
    thea.get(f"/api/v1/accounts/{olaf.id}/lists")
    olaf.post("/api/v1/statuses", status="A siskin")
    thea.get(f"/api/v1/timelines/list/{made['id']}")
    thea.delete(f"{path}/accounts", **{"account_ids[]": olaf.id})
    thea.delete(path)
