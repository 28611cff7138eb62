"""The area `statuses`: publishing, scheduling, and actions on statuses."""
import datetime


def ask(people):
    vera, sami = (people.person(name) for name in ("vera", "sami"))
    status = write(vera, sami)
    readable(people, sami, status)
    reactions(vera, sami, status)
    reblogs(people, vera, sami, status)
    quotes(vera, sami, status)
    edits(people, vera, status)
    scheduled(vera)
    deleted(vera)


def write(vera, sami):
    for content_type, text in (
        ("text/plain", "A nest in the hedge #birds"),
        ("text/markdown", "A *second* nest, says [Sami](https://sami.example)"),
        ("text/html", "<p>A <b>third</b> nest</p>"),
    ):
        vera.post("/api/v1/statuses", status=text, content_type=content_type, language="en")
    for visibility in ("unlisted", "private", "direct"):
        vera.post(
            "/api/v1/statuses",
            status="Only for @sami",
            spoiler_text="a secret",
            sensitive=True,
            visibility=visibility,
        )
    sami.act_on(vera, "follow")
    return vera.post("/api/v1/statuses", status="Who nests in the hedge, @sami? :)")


def readable(people, sami, status):
    answer = sami.post("/api/v1/statuses", status="@vera siskins", in_reply_to_id=status["id"])
    path = f"/api/v1/statuses/{status['id']}"
    for token in (None, sami.token):
        people.ask("GET", path, token)
        people.ask("GET", f"{path}/context", token)
        people.ask("GET", f"/api/v1/statuses/{answer['id']}/context", token)
        people.ask("GET", f"{path}/history", token)
        people.ask("GET", "/api/v1/statuses", token, params={"id[]": [status["id"], answer["id"]]})


def reactions(vera, sami, status):
    path = f"/api/v1/statuses/{status['id']}"
    sami.post(f"{path}/bookmark")
    sami.post(f"{path}/favourite")
    sami.get("/api/v1/bookmarks")
    sami.get("/api/v1/favourites")
    vera.get(f"{path}/favourited_by")
    sami.post(f"{path}/unbookmark")
    sami.post(f"{path}/unfavourite")
    for action in ("pin", "unpin", "mute", "unmute"):
        vera.post(f"{path}/{action}")


def reblogs(people, vera, sami, status):
    path = f"/api/v1/statuses/{status['id']}"
    reblog = sami.post(f"{path}/reblog", visibility="unlisted")
    people.ask("GET", f"/api/v1/statuses/{reblog['id']}")
    vera.get(f"{path}/reblogged_by")
    sami.post(f"{path}/unreblog")


def quotes(vera, sami, status):
    path = f"/api/v1/statuses/{status['id']}"
    quote = sami.post("/api/v1/statuses", status="See this nest", quoted_status_id=status["id"])
    vera.post("/api/v1/statuses", status="See whom I know", quoted_status_id=quote["id"])
    vera.get(f"{path}/quotes")
    vera.get("/api/v2/notifications")
    vera.post(f"{path}/quotes/{quote['id']}/revoke")
    vera.get(f"/api/v1/statuses/{quote['id']}")
    for policy in ("followers", "nobody", "public"):
        vera.put(f"{path}/interaction_policy", quote_approval_policy=policy)


def edits(people, vera, status):
    path = f"/api/v1/statuses/{status['id']}"
    vera.get(f"{path}/source")
    vera.put(path, status="Who nests in the hedge, @sami? Siskins!", spoiler_text="birds")
    vera.get(path)
    people.ask("GET", f"{path}/history")


def scheduled(vera):
    made = [
        vera.post("/api/v1/statuses", status="A nest, in an hour", scheduled_at=in_hours(1)),
        vera.post(
            "/api/v1/statuses",
            status="Which nest, in two hours?",
            scheduled_at=in_hours(2),
            spoiler_text="birds",
            visibility="private",
            language="en",
            poll={"options": ["the first", "the second"], "expires_in": 3600, "multiple": True},
        ),
    ]
    vera.get("/api/v1/scheduled_statuses")
    for one in made:
        path = f"/api/v1/scheduled_statuses/{one['id']}"
        vera.get(path)
        vera.put(path, scheduled_at=in_hours(3))
        vera.delete(path)


def in_hours(hours):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (now + datetime.timedelta(hours=hours)).isoformat()


def deleted(vera):
    status = vera.post("/api/v1/statuses", status="A mistake", spoiler_text="a mistake")
    vera.delete(f"/api/v1/statuses/{status['id']}")
