#!/usr/bin/env python3
"""Fills a server, checks its pages in a browser, and signs in to an application there.

pages.py BASE_URL SISKIN CHROMIUM SCREENSHOTS AXE SETUP_LINK

SISKIN is the program whose server listens at BASE_URL and printed SETUP_LINK; AXE is the script of
axe-core. Prints a line for each page in each size and colour scheme, `ok` or `not ok`, and stores
screenshots in the folder SCREENSHOTS.
"""
import base64
import datetime
import hmac
import json
import pathlib
import struct
import sys
import time
import urllib.parse
import urllib.request

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from browser import FEW_LOOKS, LOOKS, Browser, Visit, another_site, report
from network import Network

OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"


def fill(network):
    """Creates texts in several scripts, content warnings, very long words and threads.

    Returns the pages to visit.
    """
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
    network.pictures("mira")
    network.person("noor", display_name="نور الهدى", note="أكتب عن الطيور والحدائق في مدينتي.")
    network.person("kenji", display_name="健二 🌱")
    network.person("feedbot", display_name="Feeder count", bot=True)
    network.person("quiet", display_name="Someone limited", note="Not for everybody.")
    network.person("empty")
    network.person("frozen")
    network.text("extended-description", "# Our garden\n\nWe *like* birds: [see](https://mira.example).\n\n- one\n- two")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    network.text("terms-of-service", "# 1. Be kind\n\n> To birds and people.", "--effective", today)
    network.text("terms-of-service", "# 1. Be kinder", "--effective", "2099-01-01")
    network.siskin("settings", "set", "contact_account", "mira")
    network.siskin("settings", "set", "contact_email", "staff@mira.example")
    network.siskin("rules", "add", "Be kind to birds", "--hint", "And to people")
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
        ("front", "/", 200, ["main h1", ".home", ".rules", ".people", ".status", ".bottom a"]),
        ("about", "/about", 200, [".document h2", ".rules .hint", ".people .name"]),
        ("privacy-policy", "/privacy-policy", 200, [".document h2", ".bottom a"]),
        ("terms", "/terms-of-service", 200, [".document blockquote", "[aria-current=page]"]),
        ("terms-announced", "/terms-of-service/2099-01-01", 200, [".document h2", ".note"]),
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


def forms(network):
    """Returns pages with forms, for people who are not signed in."""
    return [
        ("sign-in", "/auth/sign_in", 200, ["#user_email", "a[href='/auth/external/club']"]),
        ("external-login-down", "/auth/external/club", 502, ["main a.button"]),
        ("sign-up", "/auth/sign_up", 200, ["#username", "#reason", "[type=checkbox]"]),
        # This server sends no email: these pages say so, and have no form.
        ("password", "/auth/password/new", 200, []),
        ("confirmation", "/auth/confirmation/new", 200, []),
    ]


def warned(network):
    """Warns mira as a moderator, and returns the strike."""
    network.person("moderatrix")
    network.siskin("accounts", "set-role", "moderatrix", "Moderator")
    made = network.siskin(
        "tokens", "create", "--account", "moderatrix", "--scopes", "read write admin:read admin:write"
    )
    network.tokens["moderatrix"] = json.loads(made)["access_token"]
    target = network.call("mira", "GET", "/api/v1/accounts/verify_credentials")["id"]
    action = {"type": "none", "text": "Please describe your pictures.\n\nThank you!"}
    network.call("moderatrix", "POST", f"/api/v1/admin/accounts/{target}/action", action)
    return network.call("mira", "GET", "/api/v1/strikes")[0]


def settings(network):
    """Returns pages of a signed-in account with much content on them."""
    app = network.call(None, "POST", "/api/v1/apps", {
        "client_name": "A client with quite a long name", "website": "https://client.example",
        "redirect_uris": OUT_OF_BAND, "scopes": "read write follow push",
    })
    query = urllib.parse.urlencode({
        "response_type": "code", "client_id": app["client_id"], "redirect_uri": OUT_OF_BAND,
        "scope": "read write follow",
    })
    birds = network.call("mira", "POST", "/api/v2/filters", {
        "title": "Birds of prey", "context": ["home", "public"], "filter_action": "warn",
        "keywords_attributes": [{"keyword": "sparrowhawk"}, {"keyword": "goshawk"}],
    })
    network.siskin("roles", "edit", "everyone", "--permissions", "invite_users")
    network.call("mira", "POST", "/api/v1/invites", {"max_uses": 3, "comment": "For the neighbours"})
    strike = warned(network)
    return [
        ("home", "/", 200, ["nav form"]),
        ("consent", f"/oauth/authorize?{query}", 200, [".scopes", "button[value=deny]"]),
        ("settings-profile", "/settings/profile", 200, [
            ".picture img[src*='/media/']", "button[form=remove_avatar]", ".pair", "[aria-current=page]",
        ]),
        ("settings-saved", "/settings/profile?saved=1", 200, [".done"]),
        ("settings-writing", "/settings/writing", 200, ["select"]),
        ("settings-account", "/settings/account", 200, ["#delete_account"]),
        ("settings-second-factor", "/settings/second-factor", 200, ["#setup_password"]),
        ("settings-external-logins", "/settings/external-logins", 200, ["#link_password_1"]),
        ("settings-follows", "/settings/follows", 200, ["#file"]),
        ("settings-sessions", "/settings/sessions", 200, [".entries time[title]"]),
        ("settings-filters", "/settings/filters", 200, [".entries button.negative"]),
        ("settings-filter-new", "/settings/filters/new", 200, ["#title", "#expires_in", "fieldset .pair"]),
        ("settings-filter", f"/settings/filters/{birds['id']}", 200, ["[id^=remove_]"]),
        ("settings-invites", "/settings/invites", 200, [".entries code.copy", "#max_uses"]),
        ("settings-export", "/settings/export", 200, [".entries a[download]", "#archives"]),
        ("settings-delete", "/settings/delete-account", 200, ["#current_password"]),
        ("strikes", "/disputes/strikes", 200, ["table.list th[scope=row]"]),
        ("strike", f"/disputes/strikes/{strike['id']}", 200, ["blockquote", "#appeal_text"]),
        ("appeals", "/disputes/appeals", 200, [".note"]),
    ]


def person_waits(network, name, reason):
    """Signs a person up, who then waits for the approval of the staff."""
    app = network.call(None, "POST", "/api/v1/apps", {
        "client_name": "Sign-ups", "redirect_uris": OUT_OF_BAND, "scopes": "read write",
    })
    network.tokens["the application"] = network.call(None, "POST", "/oauth/token", {
        "grant_type": "client_credentials", "client_id": app["client_id"],
        "client_secret": app["client_secret"], "scope": "read write",
    })["access_token"]
    network.call("the application", "POST", "/api/v1/accounts", {
        "username": name, "email": f"{name}@example.com", "password": f"password of {name}",
        "agreement": True, "locale": "en", "reason": reason,
    })


def staff(network):
    """Creates work for the staff. Returns the pages of the staff, for the person named warden."""
    network.person("warden")
    network.siskin("accounts", "set-role", "warden", "Admin")
    made = network.siskin("tokens", "create", "--account", "warden", "--scopes", "admin:read admin:write")
    network.tokens["warden"] = json.loads(made)["access_token"]
    person_waits(network, "wanda", "I watch birds near the lake.\n\nMay I join? " + "w" * 80)
    network.person("loud", display_name="ضوضاء")
    posts = [network.post("loud", f"Buy feathers {number}! https://feathers.example/{'x' * 60}")
             for number in range(2)]
    loud = network.call("loud", "GET", "/api/v1/accounts/verify_credentials")["id"]
    reports = [
        network.call("mira", "POST", "/api/v1/reports", {
            "account_id": loud, "status_ids": [post["id"]], "category": "spam",
            "comment": "The same again and again.\nPlease stop it.",
        })["id"]
        for post in posts
    ]
    network.call("warden", "POST", f"/api/v1/admin/reports/{reports[0]}/notes", {"content": "Known for it"})
    network.call("warden", "POST", f"/api/v1/admin/accounts/{loud}/action", {
        "type": "none", "text": "Please post something else.", "send_email_notification": False,
    })
    strike = network.call("loud", "GET", "/api/v1/strikes")[0]["id"]
    network.call("loud", "POST", f"/api/v1/strikes/{strike}/appeal", {"text": "Feathers are art."})
    account = f"/admin/accounts/{loud}"
    return [
        ("staff-overview", "/admin", 200, [".areas [aria-current=page]", ".work .waits"]),
        ("staff-sign-ups", "/admin/sign-ups?all=1", 200, ["table.list input:checked", ".filter", "td.lines"]),
        ("staff-rejected", "/admin/sign-ups?state=rejected", 200, [".tabs [aria-current=page]"]),
        ("staff-accounts", "/admin/accounts", 200, ["table.list", "#by_domain"]),
        ("staff-accounts-fault", "/admin/accounts?ip=x", 422, [".problem"]),
        ("staff-account", account, 200, [".fields", "#role_id", "table.list .tag, table.list a"]),
        ("staff-action", account + "/action", 200, ["[type=radio]", "textarea", "[type=checkbox]:checked"]),
        ("staff-posts", account + "/statuses", 200, [".pick .status", "[type=radio]"]),
        ("staff-delete", account + "/delete", 200, ["button.negative"]),
        ("staff-reports", "/admin/reports", 200, ["table.list"]),
        ("staff-report", f"/admin/reports/{reports[0]}", 200, [".pick .status", ".entries button", "details"]),
        ("staff-appeals", "/admin/appeals", 200, [".appeal button.negative"]),
    ]


def administration(network):
    """Fills the lists of the staff. Returns the pages of the other areas, for the owner named keeper."""
    network.person("keeper")
    network.siskin("accounts", "set-role", "keeper", "Owner")
    made = network.siskin(
        "tokens", "create", "--account", "keeper", "--scopes", "read write admin:read admin:write"
    )
    network.tokens["keeper"] = json.loads(made)["access_token"]

    def add(path, **body):
        return network.call("keeper", "POST", path, body)["id"]

    block = add("/api/v1/admin/domain_blocks", domain="a-server-with-a-long-name.spam.example",
                severity="suspend", reject_media=True, obfuscate=True,
                private_comment="Seen three times.\nEach with another name.", public_comment="Spam")
    add("/api/v1/admin/domain_allows", domain="good.example")
    add("/api/v1/admin/email_domain_blocks", domain="throwaway.example")
    add("/api/v1/admin/canonical_email_blocks", email="loud@throwaway.example")
    network_block = add("/api/v1/admin/ip_blocks", ip="2001:db8::/32", severity="no_access",
                        comment="A farm of machines", expires_in=86_400)
    add("/api/v1/invites", max_uses=5, comment="For the club")
    announced = json.loads(network.siskin("--json", "announcements", "publish", "Tea at five. " + "w" * 60))["id"]
    rule = json.loads(network.siskin("--json", "rules", "add", "No shouting"))["id"]
    return [
        ("staff-domains", "/admin/domains", 200, ["table.list .actions", ".tabs [aria-current=page]"]),
        ("staff-domain", f"/admin/domains/{block}", 200, ["textarea", "select"]),
        ("staff-domain-new", "/admin/domains/new", 200, ["#block_domain", "[type=checkbox]"]),
        ("staff-domain-import", "/admin/domains/import", 200, ["[type=file]", "#export"]),
        ("staff-domains-allowed", "/admin/domains/allowed", 200, ["table.list .negative"]),
        ("staff-email-domains", "/admin/email-domains", 200, ["table.list .negative"]),
        ("staff-emails", "/admin/emails", 200, ["#test_email", "table.list"]),
        ("staff-networks", "/admin/networks", 200, ["table.list a", "select"]),
        ("staff-network", f"/admin/networks/{network_block}", 200, ["textarea"]),
        ("staff-invites", "/admin/invites", 200, ["table.list .negative"]),
        ("staff-trends", "/admin/trends", 200, [".tabs [aria-current=page]"]),
        ("staff-websites", "/admin/trends/publishers", 200, ["#publisher_domain", "select"]),
        ("staff-announcements", "/admin/announcements", 200, ["[type=datetime-local]", "table.list .tag"]),
        ("staff-announcement", f"/admin/announcements/{announced}", 200, ["textarea"]),
        ("staff-emojis", "/admin/emojis", 200, ["table.list img", "[type=file]"]),
        ("staff-emoji", "/admin/emojis/siskin", 200, ["[type=checkbox]"]),
        ("staff-rules", "/admin/rules", 200, ["table.list [name=step]"]),
        ("staff-rule", f"/admin/rules/{rule}", 200, ["textarea"]),
        ("staff-texts", "/admin/texts", 200, ["table.list a"]),
        ("staff-text", "/admin/texts/privacy_policy", 200, ["textarea", "button[formaction]"]),
        ("staff-terms", "/admin/texts/terms_of_service", 200, ["[type=date]", "#versions"]),
        ("staff-presets", "/admin/warning-presets", 200, ["#preset_text"]),
        ("staff-settings", "/admin/settings", 200, ["[type=number]", "select", "[type=checkbox]", ".lines strong"]),
        ("staff-roles", "/admin/roles", 200, ["table.list a"]),
        ("staff-role-new", "/admin/roles/new", 200, ["fieldset [type=checkbox]"]),
        ("staff-audit-log", "/admin/audit-log", 200, ["table.list a", ".filter"]),
        ("staff-audit-log-fault", "/admin/audit-log?by=nobody_here", 422, ["#filter_by_problem"]),
        ("staff-jobs", "/admin/jobs", 200, [".tabs [aria-current=page]"]),
        ("first-steps", "/admin/first-steps", 200, ["table.list .tag", "button.plain"]),
        ("first-steps-name", "/admin/first-steps/name", 200, [
            ".steps [aria-current=step]", "#name_site_title", "#onward",
        ]),
        ("first-steps-description", "/admin/first-steps/description", 200, ["textarea"]),
        ("first-steps-rules", "/admin/first-steps/rules", 200, ["#present", "#rule_text"]),
        # The settings of this server are fixed.
        ("first-steps-sign-up", "/admin/first-steps/registrations", 200, [".lines strong"]),
        # This server sends no email.
        ("first-steps-mail", "/admin/first-steps/mail", 200, ["code.copy"]),
        ("first-steps-backups", "/admin/first-steps/backups", 200, ["code.copy", "#keep"]),
    ]


def forms_of_staff(browser, base_url, look, folder, session):
    """Checks the pages that answer a form: the dry run of a block, a preview and problems."""
    visitor = Visit(browser, base_url, look, session)
    page = visitor.page

    def send(title, path, values, button, wanted):
        visitor.look_at(path, 200, [])
        for field, value in values.items():
            page.fill(field, value)
        page.click(button)
        page.wait_for_load_state("load")
        page.screenshot(path=folder / f"{title}-{visitor.name}.png", full_page=True)
        visitor.open_all()
        for selector in wanted:
            if page.locator(selector).count() == 0:
                visitor.faults.append(f"{title}: there is no {selector}")

    submit = "main form button:not([formaction]) >> nth=0"
    send("staff-domain-dry-run", "/admin/domains/new", {"#block_domain": "new.example"}, submit,
         ["#effect", "button.negative"])
    send("staff-domain-problem", "/admin/domains/new", {"#block_domain": "not a domain"}, submit,
         ["#block_domain_problem", "[aria-invalid=true]"])
    send("staff-text-preview", "/admin/texts/extended_description",
         {"#text_text": "# One\n\n## Two\n\n- a\n- b"}, "button[formaction]", [".paper h2"])
    send("staff-role-problem", "/admin/roles/new", {"#role_name": ""}, submit, ["#role_name_problem"])
    # Texts of earlier visits have buttons above the form.
    send("staff-preset", "/admin/warning-presets", {"#preset_text": "Please be kinder.\nThanks"},
         "button:has-text('Add the text')", [".done", "table.list a"])
    page.goto(base_url + "/admin/emojis")
    page.click("table.list .negative")
    page.wait_for_load_state("load")
    visitor.open_all()
    visitor.context.close()
    report(f"forms of the staff at {visitor.name}", visitor.faults)


def first_steps(browser, base_url, look, folder, session):
    """Checks that the owner gives the server a picture, and sees what is wrong with a name."""
    visitor = Visit(browser, base_url, look, session)
    page = visitor.page
    submit = "main form button >> nth=0"

    def check(title, wanted):
        page.wait_for_load_state("load")
        page.screenshot(path=folder / f"{title}-{visitor.name}.png", full_page=True)
        visitor.open_all()
        for selector in wanted:
            if page.locator(selector).count() == 0:
                visitor.faults.append(f"{title}: there is no {selector}")

    visitor.look_at("/admin/first-steps/name", 200, [])
    page.fill("#name_site_title", " ")
    page.click(submit)
    check("first-steps-problem", ["#name_site_title_problem", "[aria-invalid=true]"])
    visitor.look_at("/admin/first-steps/picture", 200, ["[type=file]"])
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": Network.square(300)}
    page.set_input_files("#picture_image", picture)
    page.click("form[enctype] button")
    check("first-steps-picture-saved", [".done", ".steps .tag"])
    visitor.look_at("/admin/first-steps/picture", 200, ["img.large", "button.negative"])
    check("first-steps-picture", [])
    visitor.look_at("/about", 200, ["img.large"])
    check("about-with-picture", [])
    visitor.context.close()
    report(f"the first steps at {visitor.name}", visitor.faults)


def visit(browser, base_url, page, look, folder, session=None):
    title, path, status, wanted = page
    visitor = Visit(browser, base_url, look, session)
    visitor.look_at(path, status, wanted)
    visitor.page.screenshot(path=folder / f"{title}-{visitor.name}.png", full_page=True)
    # On other pages a form field has the focus from the start.
    if visitor.page.locator("[autofocus]").count() == 0:
        visitor.use_keyboard()
    visitor.open_all()
    visitor.context.close()
    report(f"{title} at {visitor.name}", visitor.faults)


def sign_in(browser, base_url, name):
    """Signs this person in and returns the cookies of the browser."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(base_url + "/auth/sign_in")
    page.fill("#user_email", f"{name}@example.com")
    page.fill("#user_password", f"password of {name}")
    page.click("main button[type=submit]")
    page.wait_for_selector("header form")
    state = context.storage_state()
    context.close()
    return state


def remove_the_avatar(browser, base_url, session):
    """Checks that the button works without the form around it."""
    visitor = Visit(browser, base_url, LOOKS[0], session)
    visitor.look_at("/settings/profile", 200, ["button[form=remove_avatar]"])
    visitor.page.click("button[form=remove_avatar]")
    visitor.page.wait_for_selector(".done")
    if visitor.page.locator("button[form=remove_avatar]").count() != 0:
        visitor.faults.append("the avatar is still there")
    if visitor.page.locator("button[form=remove_header]").count() == 0:
        visitor.faults.append("the header is gone too")
    visitor.context.close()
    report("an avatar is removed", visitor.faults)


def totp(key):
    """Returns the code that an authenticator app with this key shows now (RFC 6238)."""
    secret = base64.b32decode(key.replace(" ", ""))
    digest = hmac.digest(secret, struct.pack(">q", int(time.time()) // 30), "sha1")
    number = struct.unpack_from(">I", digest, digest[19] & 15)[0] & 0x7FFFFFFF
    return f"{number % 10 ** 6:06}"


def second_factor(browser, network, look, folder, name):
    """Checks that a person sets up a second factor, and needs it to sign in."""
    network.person(name)
    session = sign_in(browser, network.base_url, name)
    visitor = Visit(browser, network.base_url, look, session)
    page = visitor.page

    def send(field, text, title):
        page.fill(field, text)
        page.click("main button[type=submit] >> nth=0")
        page.wait_for_load_state("load")
        page.screenshot(path=folder / f"{title}-{visitor.name}.png", full_page=True)
        visitor.open_all()

    visitor.look_at("/settings/second-factor", 200, ["#setup_password"])
    send("#setup_password", f"password of {name}", "second-factor-setup")
    send("#code", totp(page.locator("code.copy").inner_text()), "second-factor-codes")
    codes = page.locator(".codes li").all_inner_texts()
    if len(codes) != 10:
        visitor.faults.append(f"there are {len(codes)} recovery codes")
    visitor.look_at("/settings/second-factor", 200, ["#codes_password", "#remove_password"])
    visitor.open_all()
    page.click("header form button")
    page.goto(network.base_url + "/auth/sign_in")
    page.fill("#user_email", name)
    send("#user_password", f"password of {name}", "second-factor-sign-in")
    if page.locator("header form").count() != 0:
        visitor.faults.append("the password alone signs in")
    send("#code", codes[0], "second-factor-signed-in")
    if page.locator("header form").count() != 1:
        visitor.faults.append("the code does not sign in")
    visitor.context.close()
    report(f"a second factor at {visitor.name}", visitor.faults)


def embed(browser, base_url, path):
    """Checks that a page of another site can show a status in a frame."""
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
    # The framing page belongs to another site.
    visitor.faults.clear()
    frame = visitor.page.frame_locator("iframe")
    if "Three siskins" not in frame.locator(".content").inner_text(timeout=5000):
        visitor.faults.append("the frame does not show the status")


def authorise_an_application(browser, network):
    """Checks that an application on another site can send a person here to sign in and agree."""
    visitor = Visit(browser, network.base_url, LOOKS[0])
    visitor.faults.clear()
    with another_site("<h1>Back</h1>") as other:
        back = f"{other}back?x=1&y=%2F"
        form = {"client_name": "Another site", "redirect_uris": back, "scopes": "read write"}
        request = urllib.request.Request(
            network.base_url + "/api/v1/apps", data=urllib.parse.urlencode(form).encode()
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            client = json.load(answer)["client_id"]
        # Writes a space as %20, as most web libraries do.
        query = urllib.parse.urlencode(
            {"response_type": "code", "client_id": client, "redirect_uri": back,
             "scope": "read write", "state": "a+b/c==&z %"},
            quote_via=urllib.parse.quote,
        )
        page = visitor.page
        page.goto(f"{network.base_url}/oauth/authorize?{query}")
        for password in ("wrong", "password of mira"):
            page.fill("#user_email", "mira")
            page.fill("#user_password", password)
            page.click("button[type=submit]:has-text('Sign in')")
        page.click("button[type=submit]:has-text('Authorise')")
        try:
            page.wait_for_url(f"{other}**", timeout=5000)
        except PlaywrightError:
            visitor.faults.append(f"it ends at {page.url}")
        visitor.faults = [fault for fault in visitor.faults
                          if "is fetched" not in fault and "422" not in fault]
        came, query = page.url.split("&code=")[0], urllib.parse.urlparse(page.url).query
        state = urllib.parse.parse_qs(query).get("state")
        if came != back or state != ["a+b/c==&z %"]:
            visitor.faults.append(f"it comes back to {came} with the state {state}")
    visitor.context.close()
    report("signing in to an application", visitor.faults)


def main():
    base_url, program, chromium, folder, axe, setup_link = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    network = Network(base_url, program)
    with sync_playwright() as playwright:
        browser = Browser(playwright, chromium, axe)
        for page in (
            ("empty-server", "/", 200, [".setup code"]),
            ("set-up", setup_link.removeprefix(base_url), 200, ["#username"]),
        ):
            for look in FEW_LOOKS:
                visit(browser, base_url, page, look, folder)
        pages = fill(network)
        for page in pages:
            for look in LOOKS:
                visit(browser, base_url, page, look, folder)
        for page in forms(network):
            for look in FEW_LOOKS:
                visit(browser, base_url, page, look, folder)
        session = sign_in(browser, base_url, "mira")
        for page in settings(network):
            for look in FEW_LOOKS:
                visit(browser, base_url, page, look, folder, session)
        remove_the_avatar(browser, base_url, session)
        pages_of_staff = staff(network)
        session = sign_in(browser, base_url, "warden")
        for page in pages_of_staff:
            for look in LOOKS:
                visit(browser, base_url, page, look, folder, session)
        other_pages = administration(network)
        session = sign_in(browser, base_url, "keeper")
        for page in other_pages:
            for look in FEW_LOOKS:
                visit(browser, base_url, page, look, folder, session)
        for look in FEW_LOOKS:
            forms_of_staff(browser, base_url, look, folder, session)
            first_steps(browser, base_url, look, folder, session)
        for number, look in enumerate(FEW_LOOKS):
            second_factor(browser, network, look, folder, f"guarded_{number}")
        authorise_an_application(browser, network)
        embed(browser, base_url, next(path for name, path, *_ in pages if name == "embed"))
        browser.close()


main()
