"""Calls every operation of some areas through a recording proxy. Each must succeed.

python contract BASE_URL SISKIN REPORT CONTRACT

SISKIN is the program of the server, and BASE_URL the address of the proxy in front of it. First
sends all requests and prints a line for each unexpected response. Once standard input is closed
(the proxy has stopped and written REPORT), compares REPORT with CONTRACT and prints a line for each
operation, `ok` or `not ok`.
"""
import json
import sys

import accounts
import filters
import lists
import media
import polls
import statuses
import streaming
import tags
import timelines
import translations
from people import People

# Each module has AREA, ask(people), LATER (operations of the area that a later release adds) and
# NEWER (operations that clients use although their only origin in the contract is `beyond`).
SCENARIOS = [
    accounts,
    statuses,
    polls,
    media,
    translations,
    filters,
    lists,
    tags,
    timelines,
    streaming,
]
WANTED = {"spec", "both", "mastodon"}


def operations(contract, scenario):
    """Returns the operations of a scenario's area that must have been called."""
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if not isinstance(operation, dict) or operation.get("x-area") != scenario.AREA:
                continue
            name = f"{method.upper()} {path}"
            wanted = operation.get("x-origin") in WANTED or name in scenario.NEWER
            if wanted and name not in scenario.LATER:
                yield name


def judge(report, contract):
    for scenario in SCENARIOS:
        for name in operations(contract, scenario):
            codes = report["answered"].get(name, {})
            good = any(code.startswith("2") or code == "101" for code in codes)
            say(good, f"{scenario.AREA}: {name}", f"answered {codes or 'never'}")
    for fault, times in report["faults"].items():
        say(False, f"the contract: {fault}", f"{times} times")
    for request, times in report["unknown"].items():
        say(False, f"not in the contract: {request}", f"{times} times")


def say(good, what, why):
    print(f"ok      {what}" if good else f"not ok  {what}: {why}", flush=True)


def main():
    base_url, program, report, contract = sys.argv[1:]
    people = People(base_url, program)
    for scenario in SCENARIOS:
        scenario.ask(people)
    for unexpected in people.unexpected:
        say(False, "a request", unexpected)
    print("asked", flush=True)
    sys.stdin.read()
    with open(report) as recorded, open(contract) as promised:
        judge(json.load(recorded), json.load(promised))


main()
