#!/usr/bin/env python3
"""Writes a list of advisories as a database that cargo-deny reads.

advisory_db.py LIST FOLDER

LIST is a TOML file such as .ci/advisories.toml. FOLDER is replaced by a git repository of the form
of https://github.com/rustsec/advisory-db.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tomllib


def line(key, value):
    # JSON and TOML have the same syntax for strings and lists of strings.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def document(advisory):
    facts = [key for key in ("id", "package", "date", "informational") if key in advisory]
    versions = [line(key, advisory.get(key, [])) for key in ("patched", "unaffected")]
    head = ["[advisory]", *(line(key, advisory[key]) for key in facts), "", "[versions]", *versions]
    return "\n".join(["```toml", *head, "```", "", f"# {advisory['title']}", "", "See the source.", ""])


def main():
    source, folder = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    for advisory in tomllib.loads(source.read_text())["advisory"]:
        file = folder / "crates" / advisory["package"] / f"{advisory['id']}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document(advisory))
    who = ["-c", "user.name=siskin", "-c", "user.email=siskin@localhost", "-c", "commit.gpgSign=false"]
    for command in (["init", "--initial-branch", "main"], ["add", "."], [*who, "commit", "--message", "List"]):
        subprocess.run(["git", "-C", folder, *command], check=True, stdout=subprocess.DEVNULL)


main()
