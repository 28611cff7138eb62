"""The area `streaming`: opens every stream. The API tests check their events."""
import requests

PATH = "/api/v1/streaming"
HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
# Answer to this key, from RFC 6455.
ACCEPTED = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def ask(people):
    selma = people.person("selma")
    made = selma.post("/api/v1/lists", title="Birds")
    people.ask("GET", f"{PATH}/health")
    for path in ("user", "user/notification", "public", "public/local", "public/remote", "direct"):
        opens(selma, f"/{path}")
    for path in ("hashtag", "hashtag/local"):
        opens(selma, f"/{path}", tag="siskins")
    opens(selma, "/list", list=made["id"])
    for query in ({}, {"stream": "user"}):
        opens(selma, "", HANDSHAKE, **query)


def opens(person, path, handshake=None, **query):
    headers = {"Authorization": f"Bearer {person.token}", **(handshake or {})}
    # Uses a connection for each stream: an endless response ends with its connection.
    with requests.Session() as line:
        line.trust_env = False
        url = person.people.base_url + PATH + path
        answer = line.get(url, params=query, headers=headers, timeout=30, stream=True)
        # After a handshake, the connection waits for frames of the client.
        body = "" if answer.status_code == 101 else next(answer.iter_lines(), b"").decode()
        person.people.record(answer, body)
        if handshake:
            accepted = answer.headers.get("Sec-WebSocket-Accept")
            assert accepted == ACCEPTED, f"the handshake was answered with {accepted}"
