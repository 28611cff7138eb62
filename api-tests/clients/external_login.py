"""Signs people in and up through real OpenID providers, as a browser without scripts would.

python3 external_login.py BASE_URL SISKIN PACKAGES USUAL_PORT FULL_PORT

SISKIN is the program of the server, which is configured for two providers on these ports that do
not run yet. PACKAGES is the folder with oidc-provider. Prints a line for each check, `ok` or
`not ok`.
"""
import html
import html.parser
import http.cookiejar
import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE_URL, SISKIN, PACKAGES, USUAL_PORT, FULL_PORT = sys.argv[1:]
PORTS = {"usual": USUAL_PORT, "full": FULL_PORT}
LOGINS = "/settings/external-logins"
# The server asks a provider that was down, or for unknown keys, again after this time.
PAUSE, KEYS = 6, 11
TIMEOUT = 30
PASSWORD = "correct horse"


class Page(html.parser.HTMLParser):
    """A page with its status and forms."""

    def __init__(self, status, url, text):
        super().__init__()
        self.status, self.url, self.text, self.forms, self.links = status, url, text, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            action = urllib.parse.urljoin(self.url, attributes.get("action") or "")
            self.forms.append((action, {}))
        elif tag == "input" and self.forms and attributes.get("name"):
            self.forms[-1][1][attributes["name"]] = attributes.get("value") or ""
        elif tag == "a" and not (attributes.get("href") or "#").startswith("#"):
            self.links.append(urllib.parse.urljoin(self.url, attributes["href"]))

    def form(self, part):
        return next((form for form in self.forms if part in form[0]), None)

    def link(self, part):
        return next((link for link in self.links if part in link), None)

    def onward(self):
        """The address to which the page leads by itself."""
        found = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', self.text)
        return html.unescape(found.group(1)) if found else None


class Browser:
    """Follows redirects and keeps cookies. Signs in at providers with `name`."""

    def __init__(self, name):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
        self.opener.addheaders = [("Accept", "text/html")]
        self.name = name
        # Whether the provider asked for the name, and the last answer of a provider.
        self.was_asked, self.answer = False, None

    def open(self, path, fields=None):
        body = urllib.parse.urlencode(fields).encode() if fields is not None else None
        url = urllib.parse.urljoin(BASE_URL, path)
        try:
            with self.opener.open(url, body, timeout=TIMEOUT) as response:
                return Page(response.status, response.url, response.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Page(error.code, error.url, error.read().decode())

    def submit(self, page, action, **fields):
        form = page.form(action)
        if not form:
            raise AssertionError(f"no form for {action} at {page.url}:\n{page.text}")
        return self.open(form[0], {**form[1], **fields})

    def walk(self, page, cancels=False):
        """Continues from a page until this server answers."""
        self.was_asked = False
        for _ in range(10):
            if page.onward():
                page = self.open(page.onward())
            elif page.url.startswith(f"{BASE_URL}/"):
                return page
            elif cancels:
                page = self.open(page.link("/abort"))
            else:
                is_login = 'value="login"' in page.text
                self.was_asked |= is_login
                fields = {"login": self.name, "password": "any"} if is_login else {}
                page = self.submit(page, "/interaction/", **fields)
        raise AssertionError(f"{page.url} leads nowhere")

    def sign_in(self, provider="usual"):
        page = self.open("/auth/sign_in")
        return self.walk(self.open(page.link(f"/auth/external/{provider}")))

    def is_signed_in(self, name):
        return f"@{name}" in self.open("/").text


class Provider:
    """A provider that runs."""

    def __init__(self, kind):
        redirect = f"{BASE_URL}/auth/external/{kind}/callback"
        command = ["node", "api-tests/clients/external_login.mjs", PACKAGES, PORTS[kind], kind]
        self.process = subprocess.Popen(
            [*command, redirect], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def wait(self):
        if "ready" not in self.process.stdout.readline():
            raise AssertionError("a provider does not start")

    def stop(self):
        self.process.kill()
        self.process.wait()


def check(name, passed, *details):
    passed = bool(passed)
    print("ok     " if passed else "not ok ", name, *([] if passed else details), flush=True)


def check_page(name, page, status, words):
    passed = page.status == status and words in page.text
    check(name, passed, f"{page.url}: {page.status}\n{page.text}")


def siskin(*arguments):
    done = subprocess.run([SISKIN, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise AssertionError(f"siskin {arguments}: {done.stderr}")
    return done.stdout


def create(name, email):
    siskin("accounts", "create", name, "--email", email, "--password", PASSWORD)


def by_password(name):
    browser = Browser(name)
    page = browser.open("/auth/sign_in")
    browser.submit(page, "/auth/sign_in", **{"user[email]": name, "user[password]": PASSWORD})
    return browser


def api(path, token=None, **fields):
    request = urllib.request.Request(BASE_URL + path)
    if fields:
        request.data = urllib.parse.urlencode(fields).encode()
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=TIMEOUT) as response:
        return json.load(response)


def signs_up():
    ann = Browser("ann")
    page = ann.sign_in()
    check_page("a newcomer finishes the sign-up", page, 200, 'value="ann"')
    has_address = "ann@people.example</strong>" in page.text
    check("the verified address is taken over", has_address, page.text)
    page = ann.submit(page, "/auth/external_sign_up", agreement="1")
    check("the newcomer is signed in", ann.is_signed_in("ann"), page.text)
    again = Browser("ann")
    again.sign_in()
    check("the login signs in again", again.is_signed_in("ann"))
    other = Browser("unverified-eve")
    page = other.sign_in("full")
    form = page.form("/auth/external_sign_up")
    is_typed = form and form[1].get("email") == "unverified-eve@people.example"
    check("another address is in a field", is_typed, page.text)
    return ann


def authorizes():
    """An application that asks a visitor for access gets it after the sign-in at the provider."""
    redirect = "urn:ietf:wg:oauth:2.0:oob"
    made = api("/api/v1/apps", client_name="Walker", redirect_uris=redirect, scopes="read")
    query = {"response_type": "code", "client_id": made["client_id"], "redirect_uri": redirect}
    browser = Browser("ann")
    page = browser.open("/oauth/authorize?" + urllib.parse.urlencode({**query, "scope": "read"}))
    page = browser.walk(browser.open(page.link("/auth/external/usual")))
    form = page.form("/oauth/authorize")
    check("the consent page follows", form, page.text)
    page = browser.submit(page, "/oauth/authorize", decision="agree")
    code = re.search(r'id="code"[^>]*value="([^"]*)"', page.text).group(1)
    grant = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect}
    secrets = {name: made[name] for name in ("client_id", "client_secret")}
    token = api("/oauth/token", **grant, **secrets)["access_token"]
    own = api("/api/v1/accounts/verify_credentials", token)
    check("the application acts for the person", own["acct"] == "ann", own)


def refuses():
    browser = Browser("ann")
    page = browser.open("/auth/external/usual")
    page = browser.walk(page, cancels=True)
    check_page("a person who cancels is not signed in", page, 403, "The sign-in was cancelled")
    page = browser.walk(browser.open(page.link("/auth/external/usual")))
    check("and can try again", browser.is_signed_in("ann"), page.text)
    page = browser.open("/auth/external/usual/callback?code=x&state=y")
    check_page("an answer that was not asked for is refused", page, 400, "This sign-in is over")
    # The account has the address that the provider has verified.
    create("carl", "carl@people.example")
    page = Browser("carl").sign_in()
    check_page("an address alone links nothing", page, 409, "An account on this server has your")


def links():
    create("bob", "bob@example.com")
    bob = by_password("bob")
    page = bob.open(LOGINS)
    page = bob.submit(page, f"{LOGINS}/full/link", current_password=PASSWORD)
    page = bob.walk(page)
    check_page("a person links a login", page, 200, "The login was linked")
    again = Browser("bob")
    again.sign_in("full")
    check("and signs in with it", again.is_signed_in("bob"))
    return again


def proves(ann):
    page = ann.open("/settings/second-factor")
    refused = ann.submit(page, "/settings/second-factor/setup")
    words = "Confirm first who you are"
    check_page("without a password, changes need a proof", refused, 403, words)
    page = ann.walk(ann.submit(page, "/auth/external/usual/prove"))
    check("the provider asks for the name again", ann.was_asked, page.url)
    check_page("the proof is given", page, 200, "You have confirmed who you are")
    page = ann.submit(page, "/settings/second-factor/setup")
    check_page("then the change is possible", page, 200, "enable")


def main():
    siskin("settings", "set", "registrations", "open")
    page = Browser("ann").open("/auth/external/usual")
    check_page("the server runs without its providers", page, 502, "does not answer properly")
    down_since = time.monotonic()
    providers = {kind: Provider(kind) for kind in PORTS}
    try:
        for provider in providers.values():
            provider.wait()
        time.sleep(max(0, PAUSE - (time.monotonic() - down_since)))
        ann = signs_up()
        known_since = time.monotonic()
        authorizes()
        refuses()
        bob = links()
        proves(ann)
        siskin("settings", "set", "external_only", "true")
        time.sleep(2)
        page = Browser("ann").open("/auth/sign_in")
        shown = [page.link(f"/auth/external/{kind}") for kind in PORTS]
        is_alone = 'type="password"' not in page.text
        check("without passwords, the providers are offered", all(shown) and is_alone, page.text)
        providers["full"].stop()
        providers["full"] = Provider("full")
        providers["full"].wait()
        time.sleep(max(0, KEYS - (time.monotonic() - known_since)))
        page = bob.sign_in("full")
        check("the new keys of a provider are fetched", page.status == 200, page.text)
        again = Browser("bob")
        again.sign_in("full")
        check("and are used", again.is_signed_in("bob"))
    finally:
        for provider in providers.values():
            provider.stop()


main()
