"""The area `tags`: following hashtags and featuring them."""


def ask(people):
    greta, bruno = (people.person(name) for name in ("greta", "bruno"))
    greta.post("/api/v1/statuses", status="#siskins at the #feeder")
    followed(people, greta)
    featured(people, greta, bruno)


def followed(people, greta):
    for name in ("siskins", "日本語"):
        greta.post(f"/api/v1/tags/{name}/follow")
        for token in (None, greta.token):
            people.ask("GET", f"/api/v1/tags/{name}", token)
    greta.get("/api/v1/followed_tags")
    greta.get("/api/v1/followed_tags", limit=1)
    greta.post("/api/v1/tags/siskins/unfollow")


def featured(people, greta, bruno):
    greta.get("/api/v1/featured_tags/suggestions")
    made = greta.post("/api/v1/featured_tags", name="siskins")
    greta.post("/api/v1/tags/feeder/feature")
    greta.get("/api/v1/featured_tags")
    for token in (None, bruno.token):
        people.ask("GET", f"/api/v1/accounts/{greta.id}/featured_tags", token)
    greta.post("/api/v1/tags/feeder/unfeature")
    greta.delete(f"/api/v1/featured_tags/{made['id']}")
