"""The area `notifications`: single and grouped notifications, policies and requests."""


def ask(people):
    hilda, jonas, karin = (people.person(name) for name in ("hilda", "jonas", "karin"))
    status = hilda.post("/api/v1/statuses", status="A redpoll")
    for person in (jonas, karin):
        person.act_on(hilda, "follow")
        person.post(f"/api/v1/statuses/{status['id']}/favourite")
    jonas.post("/api/v1/statuses", status="@hilda where?")
    single = hilda.get("/api/v1/notifications")
    hilda.get(f"/api/v1/notifications/{single[0]['id']}")
    hilda.get("/api/v1/notifications/unread_count")
    hilda.post(f"/api/v1/notifications/{single[0]['id']}/dismiss")
    grouped = hilda.get("/api/v2/notifications")
    hilda.get("/api/v2/notifications", expand_accounts="partial_avatars")
    hilda.get("/api/v2/notifications/unread_count")
    for group in grouped["notification_groups"]:
        path = f"/api/v2/notifications/{group['group_key']}"
        hilda.get(path)
        hilda.get(f"{path}/accounts")
        hilda.post(f"{path}/dismiss")
    hilda.get("/api/v2/notifications/policy")
    hilda.patch("/api/v2/notifications/policy", for_not_following="filter")
    requests = "/api/v1/notifications/requests"
    for name, decide in (("lars", "accept"), ("mona", "dismiss"), ("ronja", None), ("oona", None)):
        people.person(name).post("/api/v1/statuses", status="@hilda hello")
        request = hilda.get(requests)[0]
        hilda.get(f"{requests}/{request['id']}")
        if decide:
            hilda.post(f"{requests}/{request['id']}/{decide}")
    waiting = [request["id"] for request in hilda.get(requests)]
    hilda.post(f"{requests}/accept", id=waiting[:1])
    hilda.post(f"{requests}/dismiss", id=waiting[1:])
    hilda.get(f"{requests}/merged")
    hilda.post("/api/v1/notifications/clear")
