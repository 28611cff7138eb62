"""The area `timelines`: home, lists, public and hashtag timelines, conversations and markers."""


def ask(people):
    frida, anton = (people.person(name) for name in ("frida", "anton"))
    frida.act_on(anton, "follow")
    anton.post("/api/v1/statuses", status="Three #goldfinches")
    read(people, frida, anton)
    conversations(frida, anton)
    markers(frida)


def read(people, frida, anton):
    frida.get("/api/v1/timelines/home")
    made = frida.post("/api/v1/lists", title="Birds")
    frida.post(f"/api/v1/lists/{made['id']}/accounts", account_ids=[anton.id])
    frida.get(f"/api/v1/timelines/list/{made['id']}", limit=5)
    for token in (None, frida.token):
        people.ask("GET", "/api/v1/timelines/public", token, params={"local": "true"})
        people.ask("GET", "/api/v1/timelines/tag/goldfinches", token, params={"any[]": "siskins"})


def conversations(frida, anton):
    anton.post("/api/v1/statuses", status="@frida between us", visibility="direct")
    for conversation in frida.get("/api/v1/conversations"):
        frida.post(f"/api/v1/conversations/{conversation['id']}/read")
        frida.delete(f"/api/v1/conversations/{conversation['id']}")
    anton.get("/api/v1/conversations")


def markers(frida):
    frida.post("/api/v1/markers", home={"last_read_id": "5"})
    frida.get("/api/v1/markers", **{"timeline[]": "home"})
