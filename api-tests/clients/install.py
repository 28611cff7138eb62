#!/usr/bin/env python3
"""Tests a server through the reverse proxy in front of it.

install.py HTTPS_PORT HTTP_PORT CERTIFICATE TOKEN LOG PROXY_LOG

Prints a line for each check, `ok` or `not ok`. LOG is what the server logs, with an access log;
PROXY_LOG is the access log of the proxy.
"""
import base64
import http.client
import json
import os
import pathlib
import socket
import ssl
import sys
import time
import urllib.parse

HTTPS, HTTP = int(sys.argv[1]), int(sys.argv[2])
TLS = ssl.create_default_context(cafile=sys.argv[3])
TOKEN, LOG, PROXY_LOG = sys.argv[4], pathlib.Path(sys.argv[5]), pathlib.Path(sys.argv[6])
MIB = 1 << 20
# A client address that is forged, from the range for documentation.
FORGED = "203.0.113.9"


def ask(method, path, body=None, headers=None, timeout=30):
    """Returns status, headers and body of the response."""
    connection = http.client.HTTPSConnection("localhost", HTTPS, context=TLS, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def bearer(**more):
    return {"Authorization": f"Bearer {TOKEN}", **more}


def post(text):
    body = urllib.parse.urlencode({"status": text})
    headers = bearer(**{"Content-Type": "application/x-www-form-urlencoded"})
    status, _, answer = ask("POST", "/api/v1/statuses", body, headers)
    assert status == 200, (status, answer)


def upload(size):
    """Uploads a file of this size that is not a picture, and returns the status."""
    boundary = "siskin-install"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n'
        "Content-Type: video/mp4\r\n\r\n"
    ).encode()
    body = head + bytes(size) + f"\r\n--{boundary}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    return ask("POST", "/api/v2/media", body, bearer(**kind), timeout=120)


def until_ready():
    for _ in range(100):
        try:
            if ask("GET", "/health")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError("the proxy does not pass requests on")


def it_answers_by_https_alone():
    status, headers, body = ask("GET", "/api/v2/instance")
    assert status == 200 and json.loads(body)["domain"] == f"localhost:{HTTPS}", (status, body)
    assert "max-age" in headers["Strict-Transport-Security"], headers
    plain = http.client.HTTPConnection("localhost", HTTP, timeout=10)
    plain.request("GET", "/about", headers={"Host": "localhost"})
    answer = plain.getresponse()
    assert answer.status in (301, 308), answer.status
    assert answer.headers["Location"].startswith("https://localhost"), answer.headers["Location"]


def people_sign_in():
    status, headers, page = ask("GET", "/auth/sign_in")
    cookie = headers["Set-Cookie"]
    assert status == 200 and "Secure" in cookie, (status, cookie)
    token = page.decode().split('name="authenticity_token" value="')[1].split('"')[0]
    form = urllib.parse.urlencode({
        "authenticity_token": token, "user[email]": "alice@example.com", "user[password]": "wrong",
    })
    status, _, page = ask("POST", "/auth/sign_in", form, {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": cookie.split(";")[0],
        "Origin": f"https://localhost:{HTTPS}",
    })
    # The form passes the CSRF check: only the password is wrong.
    assert status in (401, 422) and b"expired" not in page, (status, page)


def large_files_reach_the_server():
    status, _, body = upload(98 * MIB)
    # The response comes from the server: these bytes are not a video.
    assert status == 422 and "error" in json.loads(body), (status, body[:200])
    try:
        status = upload(120 * MIB)[0]
    except (ConnectionError, ssl.SSLError):
        status = 413  # The proxy stopped reading.
    assert status == 413, status


def addresses_cannot_be_forged():
    ask("GET", "/api/v1/trends/tags", headers={"X-Forwarded-For": FORGED})
    ask("GET", "/api/v1/trends/tags", headers={"Forwarded": f"for={FORGED}", "X-Real-IP": FORGED})
    log = LOG.read_text()
    assert "address=127.0.0.1" in log and FORGED not in log, log


def events_arrive_at_once():
    connection = http.client.HTTPSConnection("localhost", HTTPS, context=TLS, timeout=10)
    connection.request("GET", f"/api/v1/streaming/user?access_token={TOKEN}")
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    begun = time.monotonic()
    post("Hello by event")
    while b"Hello by event" not in answer.readline():
        assert time.monotonic() - begun < 5
    connection.close()


def websockets_pass():
    with TLS.wrap_socket(
        socket.create_connection(("localhost", HTTPS), timeout=10), server_hostname="localhost"
    ) as line:
        key = base64.b64encode(os.urandom(16)).decode()
        line.sendall((
            f"GET /api/v1/streaming?stream=user&access_token={TOKEN} HTTP/1.1\r\n"
            f"Host: localhost:{HTTPS}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode())
        received = b""
        while b"\r\n\r\n" not in received:
            received += line.recv(4096)
        assert received.startswith(b"HTTP/1.1 101"), received
        begun = time.monotonic()
        post("Hello by socket")
        while b"Hello by socket" not in received:
            received += line.recv(65536)
            assert time.monotonic() - begun < 5, received


def the_proxy_logs_paths_without_queries():
    for _ in range(50):
        log = PROXY_LOG.read_text() if PROXY_LOG.exists() else ""
        if "/api/v1/streaming" in log:
            break
        time.sleep(0.1)
    assert "/api/v1/streaming" in log and "access_token" not in log and TOKEN not in log, log


def main():
    until_ready()
    for check in (
        it_answers_by_https_alone, people_sign_in, large_files_reach_the_server,
        addresses_cannot_be_forged, events_arrive_at_once, websockets_pass,
        the_proxy_logs_paths_without_queries,
    ):
        name = check.__name__.replace("_", " ")
        try:
            check()
            print(f"ok      {name}", flush=True)
        except Exception as fault:
            print(f"not ok  {name}: {fault!r}"[:2000], flush=True)


main()
