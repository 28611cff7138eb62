#!/usr/bin/env python3
"""Signs a person in to a client that prints a link and asks for the authorization code.

sign_in.py BASE_URL LOGIN PASSWORD CLIENT [ARGUMENT…]

Starts the client, opens the link that it prints as a browser would (cookies, hidden fields and
all), signs in, agrees, reads the code from the page and hands it to the client. Exits as the
client does.
"""
import html.parser
import http.cookiejar
import re
import subprocess
import sys
import urllib.parse
import urllib.request


class Page(html.parser.HTMLParser):
    """The forms of a page: their targets and fields."""

    def __init__(self, url, text):
        super().__init__()
        self.url, self.text, self.forms = url, text, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            action = urllib.parse.urljoin(self.url, attributes.get("action") or "")
            self.forms.append({"action": action, "fields": {}, "buttons": []})
        elif tag == "input" and self.forms and attributes.get("name"):
            self.forms[-1]["fields"][attributes["name"]] = attributes.get("value") or ""
        elif tag == "button" and self.forms:
            self.forms[-1]["buttons"].append(attributes)

    def form(self, part_of_action):
        for form in self.forms:
            if part_of_action in form["action"]:
                return form
        sys.exit(f"no form for {part_of_action} at {self.url}:\n{self.text}")

    def value_of(self, element_id):
        found = re.search(rf'<[^>]*\bid="{element_id}"[^>]*\bvalue="([^"]*)"', self.text)
        if not found:
            sys.exit(f"no element {element_id} at {self.url}:\n{self.text}")
        return found.group(1)


class Browser:
    def __init__(self):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)

    def open(self, url, fields=None):
        body = urllib.parse.urlencode(fields).encode() if fields is not None else None
        with self.opener.open(url, body, timeout=30) as answer:
            return Page(answer.url, answer.read().decode())

    def submit(self, form, **fields):
        return self.open(form["action"], {**form["fields"], **fields})


def code(url, login, password):
    browser = Browser()
    # Most clients write a space as %20; a plus sign means the same.
    url = url.replace("+", "%20")
    form = browser.open(url).form("/auth/sign_in")
    page = browser.submit(form, **{"user[email]": login, "user[password]": password})
    form = page.form("/oauth/authorize")
    agree = next(button for button in form["buttons"] if button.get("class") != "negative")
    page = browser.submit(form, **{agree["name"]: agree["value"]} if agree.get("name") else {})
    return page.value_of("code")


def main():
    base_url, login, password, *client = sys.argv[1:]
    process = subprocess.Popen(
        client, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    for line in process.stdout:
        if line.startswith(f"{base_url}/oauth/authorize"):
            break
        print(line, end="")
    else:
        sys.exit("the client printed no link")
    # Answers `n` to the question about a browser, then enters the code.
    output, _ = process.communicate(f"n\n{code(line.strip(), login, password)}\n", timeout=60)
    print(output)
    sys.exit(process.returncode)


main()
