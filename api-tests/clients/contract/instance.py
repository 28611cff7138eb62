"""The area `instance`, as far as it is served: announcements with reactions."""
import json


def ask(people):
    xenia = people.person("xenia")
    made = people.siskin("announcements", "publish", "Tea with @xenia #tea", "--json")
    path = f"/api/v1/announcements/{json.loads(made)['id']}"
    xenia.get("/api/v1/announcements")
    for name in ("\N{BIRD}", "\N{PENGUIN}"):
        xenia.put(f"{path}/reactions/{name}")
    xenia.get("/api/v1/announcements")
    xenia.delete(f"{path}/reactions/\N{BIRD}")
    xenia.post(f"{path}/dismiss")
    xenia.get("/api/v1/announcements")
