#!/usr/bin/env python3
"""Walks from the first start of a server to an appeal, as the people there do, in a browser.

moderation.py BASE_URL SISKIN CHROMIUM AXE MAIL SETUP_LINK [SCREENSHOTS]

SISKIN is the program whose server listens at BASE_URL and printed SETUP_LINK; its emails arrive
in the Maildir MAIL; AXE is the script of axe-core. The owner sets up the server without a command
line and lets people in. One of them is reported, limited, appeals and is restored. Prints a line
for each step and each page, `ok` or `not ok`, and stores screenshots in the folder SCREENSHOTS.
"""
import base64
import contextlib
import email
import email.policy
import hashlib
import json
import mailbox
import pathlib
import re
import secrets
import sys
import time
import traceback
import urllib.parse

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from browser import FEW_LOOKS, LOOKS, Browser, Visit, another_site, report
from network import Network

# Milliseconds that the browser waits for a page, and seconds that an email or an effect may take.
PATIENCE = 20_000
EMAIL_SECONDS = 30
EFFECT_SECONDS = 5
REASON = "I count siskins at my feeder.\nMay I join?"
DECISION = "Please do not advertise here.\n\nWrite about birds again!"
APPEAL = "It was a joke about my own feathers.\nI will not repeat it."


class Mail:
    """The emails that the server sent. Each is read once."""

    def __init__(self, folder):
        def parse(file):
            return email.message_from_binary_file(file, policy=email.policy.default)

        self.box, self.read = mailbox.Maildir(folder, factory=parse), set()

    def wait(self, to, subject):
        """Waits for an email to this address, and returns its text."""
        end = time.monotonic() + EMAIL_SECONDS
        while time.monotonic() < end:
            for key in set(self.box.keys()) - self.read:
                message = self.box[key]
                if to in message["To"] and re.search(subject, message["Subject"]):
                    self.read.add(key)
                    return message.get_body(("plain",)).get_content()
            time.sleep(0.1)
        raise AssertionError(f"there is no email to {to} about {subject!r}")


def link_in(text, path):
    """Returns the address in an email that begins with this path."""
    found = re.search(rf"^http://[^/\s]+{re.escape(path)}\S*", text, re.MULTILINE)
    assert found, f"no link to {path} in {text!r}"
    return found[0]


class Walk:
    """What the steps share."""

    def __init__(self, network, browser, mail, folder):
        self.network, self.browser, self.mail, self.folder = network, browser, mail, folder
        self.people = []

    def person(self, name):
        self.people.append(Person(self, name))
        return self.people[-1]

    @contextlib.contextmanager
    def step(self, what):
        """Reports a step. The steps after one that failed would only fail, too."""
        try:
            yield
        except (AssertionError, PlaywrightError, OSError) as error:
            line = traceback.extract_tb(error.__traceback__)[1].lineno
            report(what, [f"line {line}: {error}"])
            sys.exit(1)
        faults = [fault for person in self.people for fault in person.take_faults()]
        report(what, faults)

    def posts(self):
        """Returns the ids on the public timeline of the server, for people without an account."""
        posts = self.network.call(None, "GET", "/api/v1/timelines/public?local=true")
        return [post["id"] for post in posts]


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, walk, name):
        self.walk, self.name = walk, name
        self.address, self.password = f"{name}@example.com", f"password of {name}"
        self.visit = Visit(walk.browser, walk.network.base_url, LOOKS[2])
        self.visit.context.set_default_timeout(PATIENCE)
        self.page = self.visit.page

    def take_faults(self):
        faults = self.visit.faults.copy()
        self.visit.faults.clear()
        # The browser leaves the server only for the page of a client.
        return [fault for fault in faults if "/back?code=" not in fault]

    def open(self, path):
        self.page.goto(urllib.parse.urljoin(self.walk.network.base_url, path))

    def sees(self, *texts):
        """Waits until the page shows these texts."""
        for text in texts:
            self.page.get_by_text(text).first.wait_for()

    def fill(self, **values):
        """Fills inputs that have these labels, with spaces for underscores."""
        for label, value in values.items():
            pattern = re.compile(label.replace("_", " "), re.IGNORECASE)
            self.page.get_by_label(pattern).first.fill(value)

    def press(self, name):
        self.page.get_by_role("button", name=name).first.click()

    def follow(self, name):
        self.page.get_by_role("link", name=name).first.click()

    def look(self, title):
        """Checks the open page on a phone and on a desktop, light and dark. Without screenshots,
        in fewer combinations."""
        size = self.page.viewport_size
        for name, *look in LOOKS if self.walk.folder else FEW_LOOKS:
            self.visit.show_as(*look)
            if self.walk.folder:
                path = self.walk.folder / f"walk-{title}-{name}.png"
                self.page.screenshot(path=path, full_page=True)
            self.visit.open_all()
            report(f"{title} at {name}", self.take_faults())
        self.page.set_viewport_size(size)

    def sign_in(self):
        self.fill(Email_address_or_user_name=self.name, Password=self.password)
        self.press("Sign in")

    def reach(self, locator):
        """Moves the focus to an element by the Tab key, and checks that it can be seen."""
        for _ in range(100):
            self.page.keyboard.press("Tab")
            if locator.evaluate("element => element === document.activeElement"):
                _, style, width = self.visit.focused()
                assert style != "none" and width >= 2, f"the focus cannot be seen at {locator}"
                return
        raise AssertionError(f"the Tab key does not reach {locator}")

    def authorise(self, scopes, title=None):
        """Signs in to a client: gives it a token by authorization code, in the browser."""
        network, page = self.walk.network, self.page
        with another_site("<h1>Back in the client</h1>") as site:
            back, verifier = f"{site}back", secrets.token_urlsafe(48)
            app = network.call(None, "POST", "/api/v1/apps", {
                "client_name": f"Birdwatch of {self.name}", "redirect_uris": back, "scopes": scopes,
            })
            challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
            self.open("/oauth/authorize?" + urllib.parse.urlencode({
                "response_type": "code", "client_id": app["client_id"], "redirect_uri": back,
                "scope": scopes, "code_challenge": challenge.rstrip(b"=").decode(),
                "code_challenge_method": "S256",
            }))
            if page.get_by_label("Password").count():
                self.sign_in()
            self.sees("asks for access to your account")
            if title:
                self.look(title)
            self.press("Authorise")
            page.wait_for_url(f"{back}?**")
            code = urllib.parse.parse_qs(urllib.parse.urlparse(page.url).query)["code"][0]
        network.tokens[self.name] = network.call(None, "POST", "/oauth/token", {
            "grant_type": "authorization_code", "code": code, "redirect_uri": back,
            "client_id": app["client_id"], "client_secret": app["client_secret"],
            "code_verifier": verifier,
        })["access_token"]
        known = network.call(self.name, "GET", "/api/v1/accounts/verify_credentials")
        assert known["username"] == self.name, known
        # A page that no server serves any more would be loaded again with the next one.
        self.open("/about")


# --- the owner ---

def owner_begins(walk, link):
    owner = walk.person("olga")
    with walk.step("the owner creates an account by the link of the first start"):
        owner.open(link)
        owner.look("setup")
        owner.fill(User_name=owner.name, Email_address=owner.address, Password=owner.password)
        owner.press("Create the account")
        owner.sees("These steps make the server ready for others")
        owner.look("first-steps-begin")
    with walk.step("the first steps lead from one to the next"):
        owner.follow("Next: Name")
        owner.fill(**{"^Name$": "The bird table"})
        owner.press("Save")
        owner.sees("The name was saved.")
        owner.fill(Short_description="A small server for people who watch birds.",
                   **{"^Description$": "We share what we see in gardens and at lakes.\n\nJoin us!"})
        owner.press("Save")
        owner.sees("The description was saved.")
        picture = {"name": "a.png", "mimeType": "image/png", "buffer": Network.square(300)}
        owner.page.get_by_label("Picture").set_input_files(picture)
        owner.press("Save")
        owner.sees("The picture was saved.")
        for rule in ("Be kind to birds and people", "No advertising"):
            owner.fill(**{"^(Rule|Text)": rule})
            owner.press("Add the rule")
            owner.sees("The rule was added.", rule)
        owner.look("first-steps-rules")
        owner.follow("Next step: Sign-up")
        owner.page.get_by_label("Who may sign up").select_option("approval")
        owner.press("Save")
        owner.sees("It was saved who may sign up.")
        owner.press("Send a test email")
        owner.sees("The mail server accepted the email.")
        owner.look("first-steps-mail")
    with walk.step("the test email arrives"):
        walk.mail.wait(owner.address, "Test email")
    with walk.step("the first steps end at their list"):
        owner.follow("Next step: Backups")
        owner.press("I know how to make backups")
        owner.sees("The step about backups is done.")
        assert owner.page.locator("main .tag", has_text="Done").count() == 7
        owner.look("first-steps-done")
    with walk.step("the owner demands confirmed email addresses"):
        owner.open("/admin")
        owner.look("staff-overview-empty")
        owner.page.get_by_role("link", name="Settings", exact=True).click()
        box = owner.page.get_by_label("Email addresses must be confirmed")
        box.check()
        box.press("Enter")
        owner.sees("The settings were saved.")
        assert owner.page.get_by_label("Email addresses must be confirmed").is_checked()
    return owner


# --- people come ---

def sign_up(walk, name, reason, looks=False):
    """Lets a person ask for an account and confirm the address."""
    person = walk.person(name)
    look = person.look if looks else lambda title: None
    with walk.step(f"{name} asks for an account"):
        person.open("/")
        person.sees("A small server for people who watch birds.", "No advertising")
        look("front")
        person.follow("Create an account")
        person.fill(User_name=name, Email_address=person.address, Password=person.password,
                    Why_do_you_want_to_join=reason)
        person.page.get_by_label("agree").check()
        look("sign-up")
        person.press("Request an account")
        person.sees("We sent you an email with a link.")
        look("sign-up-sent")
    with walk.step(f"{name} confirms the email address"):
        text = walk.mail.wait(person.address, "(?i)confirm")
        person.open(link_in(text, "/auth/confirmation"))
        person.sees("as soon as the staff has approved your account")
        look("confirmed")
    return person


def waits(walk, person):
    with walk.step("the person learns at the sign-in that the staff must decide"):
        person.open("/auth/sign_in")
        person.sign_in()
        person.page.get_by_role("alert").wait_for()
        said = person.page.get_by_role("alert").inner_text()
        assert re.search("approv|review|wait", said), said
        person.look("sign-in-waiting")


def approve_by_keyboard(walk, owner, person):
    with walk.step("the staff get an email with the reason"):
        text = walk.mail.wait(owner.address, "waits? for an approval")
        assert "siskins at my feeder" in text and f"@{person.name}" in text, text
    with walk.step("the staff approve by keyboard alone"):
        owner.open(link_in(text, "/admin/sign-ups"))
        owner.sees("I count siskins at my feeder.")
        owner.look("staff-sign-ups")
        owner.reach(owner.page.get_by_role("checkbox", name=f"Choose @{person.name}"))
        owner.page.keyboard.press("Space")
        owner.reach(owner.page.get_by_role("button", name="Approve", exact=True))
        owner.page.keyboard.press("Enter")
        owner.sees("1 sign-up was approved.")
        owner.look("staff-approved")
    with walk.step("the person gets an email about it"):
        text = walk.mail.wait(person.address, "Your account was approved")
        person.open(link_in(text, "/auth/sign_in"))
        person.sees("Email address or user name")


def approve_by_api(walk, owner, person):
    with walk.step("the staff sign in from a client with permissions of staff"):
        owner.authorise("read write admin:read admin:write", "consent-staff")
    with walk.step("the staff approve by the API"):
        path = "/api/v2/admin/accounts?origin=local&status=pending"
        waiting = {one["username"]: one for one in walk.network.call(owner.name, "GET", path)}
        asked = waiting[person.name]
        assert asked["invite_request"] == f"I am {person.name}.", asked
        path = f"/api/v1/admin/accounts/{asked['id']}/approve"
        assert walk.network.call(owner.name, "POST", path)["approved"] is True
        walk.mail.wait(person.address, "Your account was approved")


def approve_by_command(walk, person):
    with walk.step("the staff approve by command"):
        waiting = walk.network.siskin("accounts", "pending")
        assert person.name in waiting and f"I am {person.name}." in waiting, waiting
        walk.network.siskin("accounts", "approve", person.name)
        walk.mail.wait(person.address, "Your account was approved")


def reject(walk, owner, person):
    with walk.step("the staff reject on the page"):
        owner.open("/admin/sign-ups")
        owner.page.get_by_label(f"Choose @{person.name}").check()
        owner.press("Reject")
        owner.sees("1 sign-up was rejected.")
        owner.follow("Rejected")
        owner.sees(f"@{person.name}")
        owner.look("staff-rejected")
        walk.mail.wait(person.address, "Your account was not approved")
    with walk.step("the rejected person cannot sign in"):
        person.open("/auth/sign_in")
        person.sign_in()
        person.page.get_by_role("alert").wait_for()
        assert person.page.get_by_role("button", name="Sign out").count() == 0
        person.look("sign-in-rejected")


# --- moderation ---

def is_shown(walk, post, wanted):
    """Checks that a post is on the public timeline and on the front page, or goes from there."""
    end = time.monotonic() + EFFECT_SECONDS
    visitor = walk.people[-1]
    while (post["id"] in walk.posts()) != wanted:
        assert time.monotonic() < end, f"the timeline has {walk.posts()}, not {post['id']}"
        time.sleep(0.1)
    visitor.open("/")
    visitor.page.wait_for_load_state()
    shown = visitor.page.locator("main .status", has_text="Feathers for sale").count() > 0
    assert shown == wanted, "the front page differs from the timeline"


def report_a_post(walk, person, reporter):
    network = walk.network
    with walk.step("a person signs in from a client and posts"):
        person.authorise("read write follow push", "consent")
        post = network.post(person.name, "Feathers for sale, only today! #feathers")
        is_shown(walk, post, True)
    with walk.step("another person reports the post from a client"):
        reporter.authorise("read write follow")
        rules = network.call(None, "GET", "/api/v1/instance/rules")
        sent = network.call(reporter.name, "POST", "/api/v1/reports", {
            "account_id": post["account"]["id"], "status_ids": [post["id"]],
            "category": "violation", "rule_ids": [rules[1]["id"]],
            "comment": "The third time this week.\nPlease look.",
        })
        assert sent["category"] == "violation", sent
    return post


def limit(walk, owner, person, reporter):
    with walk.step("the staff get an email about the report, which does not name the reporter"):
        text = walk.mail.wait(owner.address, f"New report about .*@{person.name}")
        assert "The third time" in text and reporter.name not in text, text
    with walk.step("the staff see the report"):
        owner.open("/admin")
        owner.look("staff-overview-report")
        owner.open(link_in(text, "/admin/reports/"))
        owner.sees("Feathers for sale", "The third time this week.", "No advertising")
        owner.look("staff-report")
    with walk.step("the staff limit the person, with a text"):
        owner.follow(f"Warn or restrict @{person.name}")
        owner.page.get_by_label(re.compile("^Limit")).check()
        owner.fill(Text_to=DECISION)
        owner.look("staff-action")
        owner.press("Apply")
        owner.page.locator("main .done").wait_for()
        owner.look("staff-limited")


def appeal(walk, person, owner):
    with walk.step("the person gets an email with the text, which names nobody"):
        text = walk.mail.wait(person.address, "Your account was limited")
        assert "Please do not advertise here." in text and owner.name not in text, text
    with walk.step("the person finds the decision and appeals"):
        person.open(link_in(text, "/disputes/strikes/"))
        person.sees("Please do not advertise here.", "Feathers for sale")
        assert owner.name not in person.page.content()
        person.look("strike")
        person.fill(Your_appeal=APPEAL)
        person.press("Send the appeal")
        person.sees("It was a joke about my own feathers.", "You appealed")
        person.look("strike-appealed")
        person.follow("All decisions of the moderators")
        person.look("strikes")
    with walk.step("the client of the person knows the decision"):
        told = walk.network.call(person.name, "GET", "/api/v1/notifications")
        warnings = [one for one in told if one["type"] == "moderation_warning"]
        assert [one["moderation_warning"]["action"] for one in warnings] == ["silence"], told
        assert "Please do not advertise" in warnings[0]["moderation_warning"]["text"], warnings


def approve_appeal(walk, owner, person):
    with walk.step("the staff get an email about the appeal, and approve it"):
        text = walk.mail.wait(owner.address, f"@{person.name}.* appeals")
        owner.open(link_in(text, "/admin/appeals"))
        owner.sees("It was a joke about my own feathers.", "Please do not advertise here.")
        owner.look("staff-appeals")
        owner.press(f"Approve the appeal of @{person.name}")
        owner.page.locator("main .done").wait_for()
        owner.page.get_by_role("link", name="Approved").click()
        owner.sees("It was a joke about my own feathers.")
        owner.look("staff-appeal-approved")
    with walk.step("the person gets an email, and reads that the decision was taken back"):
        walk.mail.wait(person.address, "Your appeal was approved")
        person.open("/disputes/strikes")
        person.follow("imited")
        person.sees("The moderators took this decision back.")
        person.look("strike-taken-back")


def nothing_is_lost(walk, owner):
    with walk.step("the audit log has each decision once"):
        owner.open("/admin/audit-log")
        owner.look("staff-audit-log")
        entries = reversed(json.loads(walk.network.siskin("--json", "audit")))
        decisions = [
            f"{entry['action']} {target['kind']} {target['name']}, "
            + ("operator" if entry["account"] is None else "staff")
            for entry in entries
            if (target := entry["target"])["kind"] in ("account", "appeal", "report")
        ]
        assert decisions == [
            "approve account @pia, staff",
            "approve account @bertil, staff",
            "approve account @cleo, operator",
            "reject account @rolf, staff",
            "silence account @pia, staff",
            "resolve report @pia, staff",
            "approve appeal @pia, staff",
        ], decisions
    with walk.step("no report is left open"):
        owner.open("/admin/reports")
        owner.sees("There are none.")
        owner.open("/admin/reports?list=resolved")
        owner.look("staff-reports-resolved")


def walk_all(walk, link):
    owner = owner_begins(walk, link)
    pia = sign_up(walk, "pia", REASON, looks=True)
    waits(walk, pia)
    approve_by_keyboard(walk, owner, pia)
    names = ("bertil", "cleo", "rolf")
    bertil, cleo, rolf = [sign_up(walk, name, f"I am {name}.") for name in names]
    approve_by_api(walk, owner, bertil)
    approve_by_command(walk, cleo)
    reject(walk, owner, rolf)
    with walk.step("a person that was approved by command signs in from a client"):
        cleo.authorise("read")
    post = report_a_post(walk, pia, bertil)
    limit(walk, owner, pia, bertil)
    with walk.step("others see the posts of the person no more"):
        is_shown(walk, post, False)
    appeal(walk, pia, owner)
    approve_appeal(walk, owner, pia)
    with walk.step("others see the posts of the person again"):
        is_shown(walk, post, True)
    nothing_is_lost(walk, owner)


def main():
    base_url, program, chromium, axe, mail, link, *folder = sys.argv[1:]
    folder = pathlib.Path(folder[0]) if folder else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = Browser(playwright, chromium, axe)
        walk_all(Walk(Network(base_url, program), browser, Mail(mail), folder), link)
        browser.close()


main()
