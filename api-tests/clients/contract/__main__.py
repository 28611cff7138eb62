"""Calls every operation of the finished areas, and records the responses.

python contract BASE_URL SISKIN RECORDING

SISKIN is the program of the server. Writes each request and its response to RECORDING, which the
program `check-exchanges` compares with the contract. Fails if a response lacks what the next
request needs.
"""
import sys

import accounts
import admin_accounts
import domains
import filters
import instance
import lists
import measures
import media
import moderation
import notifications
import polls
import push
import reports
import search
import sign_up_blocks
import statuses
import streaming
import tags
import timelines
import translations
import trends
from people import People

# One module for each area.
SCENARIOS = [
    accounts,
    statuses,
    polls,
    media,
    translations,
    filters,
    lists,
    tags,
    search,
    timelines,
    notifications,
    streaming,
    push,
    reports,
    moderation,
    admin_accounts,
    measures,
    sign_up_blocks,
    domains,
    trends,
    instance,
]


def main():
    base_url, program, path = sys.argv[1:]
    with open(path, "w") as recording:
        people = People(base_url, program, recording)
        for scenario in SCENARIOS:
            scenario.ask(people)


main()
