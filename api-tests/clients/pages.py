#!/usr/bin/env python3
"""Fills a server and looks at its public pages in a browser.

pages.py BASE_URL SISKIN CHROMIUM SCREENSHOTS

SISKIN is the program whose server listens at BASE_URL. Prints a line for each page in each look,
`ok` or `not ok`, and leaves pictures in the folder SCREENSHOTS.
"""
import contextlib
import http.server
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.request
import zipfile
import zlib

import axe_playwright_python
from playwright.sync_api import sync_playwright

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
LOOKS = [
    (f"{size['width']}-{scheme}", size, scheme)
    for size in (PHONE, DESK)
    for scheme in ("light", "dark")
]
AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# The rules of WCAG 2.2, and what its makers advise beside them.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

WIDER = """() => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll('body *')].filter(element => {
        const box = element.getBoundingClientRect();
        return box.width > 1 && (box.right > width + 1 || box.left < -1) && box.bottom > 0
            && !element.closest('.skip, .unseen, .invisible');
    });
    return [document.documentElement.scrollWidth > width ? 'the page' : '',
        ...wide.map(element => `${element.tagName}.${element.className}`)].filter(Boolean);
}"""

FOCUSED = """() => {
    const style = getComputedStyle(document.activeElement);
    return [document.activeElement.className, style.outlineStyle, parseFloat(style.outlineWidth)];
}"""


class Network:
    """People on the server, and what they wrote."""

    def __init__(self, base_url, program):
        self.base_url, self.program, self.tokens = base_url, program, {}

    def siskin(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"siskin {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def person(self, name, **profile):
        secret = f"password of {name}"
        self.siskin("accounts", "create", name, "--email", f"{name}@example.com", "--password", secret)
        made = self.siskin("tokens", "create", "--account", name, "--scopes", "read write follow")
        self.tokens[name] = json.loads(made)["access_token"]
        self.call(name, "PATCH", "/api/v1/accounts/update_credentials", profile)

    def call(self, name, method, path, body=None):
        request = urllib.request.Request(
            self.base_url + path,
            method=method,
            data=json.dumps(body or {}).encode(),
            headers={
                "Authorization": f"Bearer {self.tokens[name]}",
                "Content-Type": "application/json",
            },
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)

    def emoji(self, name):
        """A green square as the custom emoji of this name."""
        size = 32
        rows = (b"\0" + b"\x4c\x66\x14" * size) * size
        header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
        parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
        png = b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in parts
        )
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "emojis.zip"
            with zipfile.ZipFile(archive, "w") as file:
                file.writestr(f"{name}.png", png)
            self.siskin("emojis", "import", str(archive))

    def post(self, name, text, to=None, **rest):
        answered = {"in_reply_to_id": to["id"]} if to else {}
        return self.call(name, "POST", "/api/v1/statuses", {"status": text, **answered, **rest})

    def act(self, name, action, status):
        return self.call(name, "POST", f"/api/v1/statuses/{status['id']}/{action}")


def fill(network):
    """Several scripts, content warnings, words without an end, threads; returns pages to visit."""
    network.emoji("siskin")
    network.person(
        "mira",
        display_name="Mira Vogel :siskin:",
        note="Birds at the feeder, and what they tell each other.\n\nSiskins in winter, swifts in "
        "summer. Notes from a small garden near the lake. #birds",
        discoverable=True,
        indexable=True,
        fields_attributes=[
            {"name": "Site", "value": "https://mira.example/a/garden/with/a/rather/long/address"},
            {"name": "Pronouns", "value": "she/her"},
        ],
    )
    network.person("noor", display_name="نور الهدى", note="أكتب عن الطيور والحدائق في مدينتي.")
    network.person("kenji", display_name="健二 🌱")
    network.person("feedbot", display_name="Feeder count", bot=True)
    network.person("quiet", display_name="Someone limited", note="Not for everybody.")
    network.person("empty")
    network.person("frozen")
    network.siskin("accounts", "silence", "quiet")
    network.siskin("accounts", "suspend", "frozen")
    network.post("quiet", "Hello from the edge")
    for number in range(22):
        network.post("feedbot", f"Siskins at the feeder this morning: {number + 3}", language="en")

    root = network.post(
        "mira",
        "Three siskins at the feeder :siskin: this morning, and a greenfinch who thinks it owns the place."
        "\n\nMore in my notes: https://mira.example/notes/2026/november/siskins-and-greenfinches "
        "#birds #siskins",
        language="en",
    )
    network.post("mira", "One of them wears a ring. I could read AB1 on it.", to=root, language="en")
    answer = network.post("noor", "@mira صباح الخير! هل بقيت عندك طوال الشتاء؟", to=root, language="ar")
    network.post("mira", "@noor Most of them, yes. They leave in March.", to=answer, language="en")
    network.post("kenji", "@mira うちの庭にもマヒワが来ました。とてもかわいいです。", to=root, language="ja")
    network.post("mira", "How the cat got at the nest, and what was left of it.",
                 spoiler_text="A sad story about a nest", language="en")
    network.post("mira", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamten"
                 "gesellschaftsversammlungsprotokollführerin " + "wwwwwwwwww" * 14, language="de")
    network.post("mira", "Morgen früh gehe ich wieder an den See.\nKommt jemand mit?", language="de")
    network.act("mira", "reblog", network.post("noor", "الطيور تغني قبل الفجر 🐦", language="ar"))
    for name in ("noor", "kenji", "feedbot"):
        network.act(name, "favourite", root)
    network.act("kenji", "reblog", root)

    def page(status):
        return status["url"].removeprefix(network.base_url)

    return [
        ("front", "/", 200, ["main h1", ".home"]),
        ("profile", "/@mira", 200, [
            "main h1", "[rel~=me]", "[lang=de]", "details.warning", ".status .above",
            "link[rel=canonical]", "meta[property='og:title']",
        ]),
        ("profile-replies", "/@mira/with_replies", 200, [".tabs [aria-current=page]"]),
        ("profile-rtl", "/@noor", 200, ["h1[dir=auto]", "[lang=ar]"]),
        ("profile-pages", "/@feedbot", 200, [".pages [rel=next]", ".tag"]),
        ("profile-limited", "/@quiet", 200, ["details.limited", "meta[name=robots]"]),
        ("profile-empty", "/@empty", 200, [".note"]),
        ("tag", "/tags/birds", 200, ["main h1", ".status", "meta[name=robots]", ".emoji"]),
        ("tag-pages", "/tags/siskins?max_id=1", 200, [".note", ".pages [rel=prev]"]),
        ("thread", page(root), 200, [
            ".status.main", ".after .status", "link[type='application/json+oembed']", "[lang=ja]",
        ]),
        ("answer", page(answer), 200, [".before .status", ".status.main [lang=ar]", ".after .status"]),
        ("embed", page(root) + "/embed", 200, [".status", "base[target=_blank]"]),
        ("gone", "/@frozen", 410, ["main h1"]),
        ("missing", "/@nobody", 404, ["main h1"]),
    ]


class Visit:
    """One page in one look; gathers what is wrong with it."""

    def __init__(self, browser, base_url, look):
        self.base_url, self.faults = base_url, []
        self.name, size, scheme = look
        self.context = browser.new_context(viewport=size, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.hear(message))
        self.page.on("pageerror", lambda error: self.faults.append(f"a script failed: {error}"))
        self.page.on("request", lambda request: self.see(request.url))

    def hear(self, message):
        # A page that is not there is reported as what could not be loaded.
        if message.type in ("error", "warning") and message.location["url"] != self.page.url:
            self.faults.append(f"the console says {message.text}")

    def see(self, url):
        if not url.startswith(self.base_url + "/"):
            self.faults.append(f"{url} is fetched")

    def look_at(self, path, status, wanted):
        answer = self.page.goto(self.base_url + path, wait_until="load")
        if answer.status != status:
            self.faults.append(f"it answers {answer.status}")
        for selector in wanted:
            if self.page.locator(selector).count() == 0:
                self.faults.append(f"there is no {selector}")
        self.measure()

    def measure(self):
        wide = self.page.evaluate(WIDER)
        if wide:
            self.faults.append(f"wider than the window: {wide}")

    def use_keyboard(self):
        self.page.keyboard.press("Tab")
        name, style, width = self.page.evaluate(FOCUSED)
        if name not in ("skip", "name") or style == "none" or width < 2:
            self.faults.append(f"the first focus is at {name!r}, with an outline of {width} {style}")

    def open_all(self):
        """Also what is behind warnings must fit and be readable."""
        self.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        self.measure()
        self.page.evaluate(AXE)
        found = self.page.evaluate(
            "rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES
        )
        for violation in found["violations"]:
            where = [node["target"] for node in violation["nodes"]]
            self.faults.append(f"axe: {violation['id']}, {violation['help']}: {where}")


def visit(browser, base_url, page, look, folder):
    title, path, status, wanted = page
    visitor = Visit(browser, base_url, look)
    visitor.look_at(path, status, wanted)
    visitor.page.screenshot(path=folder / f"{title}-{visitor.name}.png", full_page=True)
    visitor.use_keyboard()
    visitor.open_all()
    visitor.context.close()
    report(f"{title} at {visitor.name}", visitor.faults)


def embed(browser, base_url, path):
    """A page of another site shows a status in its frame."""
    visitor = Visit(browser, base_url, LOOKS[0])
    asked = f"{base_url}/api/oembed?url={base_url}{path.removesuffix('/embed')}"
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked) as answer:
        html = json.load(answer)["html"]
    with another_site(html) as other:
        show_in_frame(visitor, other)
    visitor.context.close()
    report("a status in a frame of another site", visitor.faults)


def show_in_frame(visitor, other):
    visitor.page.goto(other)
    # It is another site, and has no icon.
    visitor.faults.clear()
    frame = visitor.page.frame_locator("iframe")
    if "Three siskins" not in frame.locator(".content").inner_text(timeout=5000):
        visitor.faults.append("the frame does not show the status")


@contextlib.contextmanager
def another_site(html):
    """Serves a page under a name that is not the server's, by a server of its own: browsers keep
    pages that came from nowhere away from the local network."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()


def report(what, faults):
    print(f"ok      {what}" if not faults else f"not ok  {what}: {'; '.join(faults)}", flush=True)


def main():
    base_url, program, chromium, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages = fill(Network(base_url, program))
    with sync_playwright() as playwright:
        # The sandbox does not start in a container whose user is root; all that is opened is ours.
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--no-proxy-server"]
        )
        for page in pages:
            for look in LOOKS:
                visit(browser, base_url, page, look, folder)
        embed(browser, base_url, next(path for name, path, *_ in pages if name == "embed"))
        browser.close()


main()
