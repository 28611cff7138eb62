"""The area `filters`: both API versions, and both paths of keywords."""

EVERYWHERE = ["home", "notifications", "public", "thread", "account"]


def ask(people):
    nils, ida = (people.person(name) for name in ("nils", "ida"))
    nils.act_on(ida, "follow")
    status = ida.post("/api/v1/statuses", status="A siskin, @nils")
    made = whole(nils, status)
    keywords(nils, made)
    named(nils, made, status)
    marked(nils, ida, status)
    first_version(nils)
    nils.delete(f"/api/v2/filters/{made['id']}")


def whole(nils, status):
    made = nils.post(
        "/api/v2/filters",
        title="Birds",
        context=EVERYWHERE,
        filter_action="hide",
        expires_in=3600,
        keywords_attributes=[{"keyword": "siskin", "whole_word": True}, {"keyword": "finch"}],
    )
    path = f"/api/v2/filters/{made['id']}"
    first, second = made["keywords"]
    nils.get("/api/v2/filters")
    nils.get(path)
    nils.put(
        path,
        title="Small birds",
        filter_action="warn",
        keywords_attributes=[
            {"id": first["id"], "whole_word": False},
            {"id": second["id"], "_destroy": True},
            {"keyword": "serin"},
        ],
    )
    return made


def keywords(nils, made):
    path = f"/api/v2/filters/{made['id']}/keywords"
    nils.get(path)
    for added, one in ((path, "/api/v1/filters/keywords"), (f"{path}/1", "/api/v2/filters/keywords")):
        keyword = nils.post(added, keyword="owl", whole_word=True)
        nils.get(f"{one}/{keyword['id']}")
        nils.put(f"{one}/{keyword['id']}", keyword="little owl")
        nils.delete(f"{one}/{keyword['id']}")


def named(nils, made, status):
    path = f"/api/v2/filters/{made['id']}/statuses"
    nils.post(path, status_id=status["id"])
    for held in nils.get(path):
        nils.get(f"/api/v2/filters/statuses/{held['id']}")
        nils.get(f"/api/v2/filters/{made['id']}")
        nils.get(f"/api/v1/statuses/{status['id']}")
        nils.delete(f"/api/v2/filters/statuses/{held['id']}")


def marked(nils, ida, status):
    """Calls operations that return statuses with matching filters."""
    nils.get("/api/v1/timelines/home")
    nils.get("/api/v1/timelines/public")
    nils.get("/api/v1/notifications")
    nils.get(f"/api/v1/accounts/{ida.id}/statuses")
    nils.post(f"/api/v1/statuses/{status['id']}/reblog")


def first_version(nils):
    made = nils.post("/api/v1/filters", phrase="spoilers", context=["home"], irreversible=True)
    path = f"/api/v1/filters/{made['id']}"
    nils.get("/api/v1/filters")
    nils.get(path)
    nils.put(path, phrase="spoiler", context=["home", "public"], whole_word=True, expires_in=60)
    nils.delete(path)
