"""Drives Chromium for the scripts that visit pages, and finds what is wrong with a page."""
import contextlib
import http.server
import pathlib
import threading

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
LOOKS = [
    (f"{size['width']}-{scheme}", size, scheme)
    for size in (PHONE, DESK)
    for scheme in ("light", "dark")
]
# Each size and each colour scheme once, for pages with few visitors.
FEW_LOOKS = LOOKS[1:3]
# The rules of WCAG 2.2, and the best practices that axe-core adds to them.
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


class Browser:
    """Headless Chromium, with the script of axe-core."""

    def __init__(self, playwright, program, axe):
        # The sandbox does not start in a container that runs as root. The browser opens only pages
        # of these tests.
        self.chromium = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--no-proxy-server"]
        )
        self.axe = pathlib.Path(axe).read_text()

    def new_context(self, **options):
        return self.chromium.new_context(**options)

    def close(self):
        self.chromium.close()


class Visit:
    """A page in one size and colour scheme. Collects its faults."""

    def __init__(self, browser, base_url, look, session=None):
        self.base_url, self.axe, self.faults = base_url, browser.axe, []
        self.name, size, scheme = look
        self.context = browser.new_context(
            viewport=size, color_scheme=scheme, storage_state=session
        )
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.hear(message))
        self.page.on("pageerror", lambda error: self.faults.append(f"a script failed: {error}"))
        self.page.on("request", lambda request: self.see(request.url))

    def hear(self, message):
        # The browser reports a missing page as a resource that failed to load.
        if message.type in ("error", "warning") and message.location["url"] != self.page.url:
            self.faults.append(f"the console says {message.text}, about {message.location['url']}")

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

    def show_as(self, size, scheme):
        """Shows the open page in this size and colour scheme."""
        self.page.set_viewport_size(size)
        self.page.emulate_media(color_scheme=scheme)

    def focused(self):
        """Returns the class of the element with the focus, and its outline: style and width."""
        return self.page.evaluate(FOCUSED)

    def use_keyboard(self):
        self.page.keyboard.press("Tab")
        name, style, width = self.focused()
        if name not in ("skip", "name") or style == "none" or width < 2:
            self.faults.append(f"the first focus is at {name!r}, with an outline of {width} {style}")

    def open_all(self):
        """Opens content warnings: the content behind them must also fit and be readable."""
        self.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        self.measure()
        # The skip link covers other elements while it has the focus.
        self.page.evaluate("document.activeElement.blur()")
        self.page.evaluate(self.axe)
        found = self.page.evaluate(
            "rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES
        )
        for violation in found["violations"]:
            where = [node["target"] for node in violation["nodes"]]
            self.faults.append(f"axe: {violation['id']}, {violation['help']}: {where}")


@contextlib.contextmanager
def another_site(html):
    """Serves a page under another host name, by a server of its own.

    Browsers block requests to the local network from pages that no server served. The page has an
    icon of its own, so that the browser asks for none while this server stops.
    """
    page = f'<!doctype html><link rel="icon" href="data:,">{html}'.encode()

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

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
