"""The area `translation`: translated statuses, by a backend with the API of LibreTranslate."""


def ask(people):
    olga, piet = (people.person(name) for name in ("olga", "piet"))
    people.ask("GET", "/api/v1/instance/translation_languages")
    poll = {"options": ["Zeisig", "Stieglitz"], "expires_in": 3600}
    for fields in ({}, {"spoiler_text": "Vögel"}, {"poll": poll}):
        status = olga.post("/api/v1/statuses", status="Wer nistet in der <Hecke>?", language="de", **fields)
        for _ in range(2):
            piet.post(f"/api/v1/statuses/{status['id']}/translate", lang="en")
