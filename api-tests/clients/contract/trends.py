"""The area `trends`: hashtags, links and statuses that trend, and the timeline of a link."""
import os
import time

CROWD = [f"trendsetter{number}" for number in range(15)]


def ask(people):
    article = os.environ["SISKIN_CONTRACT_ARTICLE"]
    crowd = [people.person(name) for name in CROWD]
    heinz = people.person("heinz")
    heinz.patch("/api/v1/accounts/update_credentials", discoverable=True)
    popular = heinz.post("/api/v1/statuses", status="Everybody likes this")
    for person in crowd:
        person.post("/api/v1/statuses", status=f"#waxwings at {article}")
        person.post(f"/api/v1/statuses/{popular['id']}/favourite")
    wait_for_preview(crowd[-1])
    people.siskin("trends", "refresh")
    people.siskin("trends", "approve", "tag", "waxwings")
    people.siskin("trends", "approve", "link", article)
    people.siskin("trends", "approve", "status", popular["id"])
    for token in (None, heinz.token):
        for path in ("", "/tags", "/links", "/statuses"):
            people.ask("GET", f"/api/v1/trends{path}", token, params={"limit": 5})
        people.ask("GET", "/api/v1/timelines/link", token, params={"url": article, "limit": 5})
    review(people)


def wait_for_preview(person):
    """Waits until the server has fetched the article."""
    for _ in range(100):
        statuses = person.get(f"/api/v1/accounts/{person.id}/statuses")
        if statuses[0]["card"]:
            return
        time.sleep(0.2)


def review(people):
    staff = people.person("ingrid", role="Moderator", scopes="read admin:read")
    for kind in ("tags", "links", "statuses"):
        staff.get(f"/api/v1/admin/trends/{kind}")
