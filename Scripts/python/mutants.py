"""The list of mutants (Proof/mutations/mutants.toml), and the sources that have them behind a switch."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from typing import Any

LIST = "Proof/mutations/mutants.toml"
PLACEHOLDER = re.compile(r"\bMUTANT\b")
MODULE = re.compile(r"(?:Sources/\w+|Simulator)/(\w+)/")
SUITE = re.compile(r"\b(?:struct|class|actor|enum|extension) +(\w+)")
SWITCH_FILE = "MutantSwitch.swift"
SWITCH = """\
import Glibc

/// Which mutant is on. Scripts/mutate compiles this file into each module that has mutants.
enum MutantSwitch {
    private static let number = getenv("CARDPRESENT_MUTANT").flatMap { Int(String(cString: $0)) }

    static func isOn(_ mutant: Int) -> Bool { number == mutant }
}
"""


class ListError(Exception):
    """What is wrong with the list, one line for each mistake."""


@dataclass(frozen=True)
class Mutant:
    """One planted mistake."""

    id: int
    file: str
    find: str
    replace: str
    harm: str
    tests: tuple[str, ...]
    survivor: str

    @property
    def module(self) -> str:
        """The module of the file: the folder below the layer."""
        found = MODULE.match(self.file)
        return found.group(1) if found else ""

    @property
    def code(self) -> str:
        """The text that is compiled, in which the switch decides."""
        return PLACEHOLDER.sub(f"MutantSwitch.isOn({self.id})", self.replace)


@dataclass(frozen=True)
class MutantList:
    """The mutants, and what is run against them."""

    mutants: tuple[Mutant, ...]
    wide: dict[str, list[str]]
    sessions: list[str]
    explorer: dict[str, list[str]]
    model: list[str]


def suites(root: str) -> dict[str, set[str]]:
    """Returns the names of the types in the tests, by test module."""
    found: dict[str, set[str]] = {}
    for path in glob.glob(os.path.join(root, "Tests", "**", "*.swift"), recursive=True):
        parts = os.path.relpath(path, root).split(os.sep)
        if len(parts) > 3 and parts[2].endswith("Tests"):
            with open(path, encoding="utf-8") as file:
                found.setdefault(parts[2], set()).update(SUITE.findall(file.read()))
    return found


def pattern(place: str) -> str:
    """Returns the filter of Swift Testing for a module, or for a suite: MODULE/SUITE."""
    module, _, suite = place.partition("/")
    return rf"^{module}\.(.*/)?{suite}/" if suite else rf"^{module}\."


def _mutant(row: dict[str, Any], place: int, mistakes: list[str]) -> Mutant | None:
    name = f"{LIST}: mutant {row.get('id', f'number {place} of the list')}"
    texts = {"file", "find", "replace", "harm"}
    before = len(mistakes)
    for key in sorted(texts | {"id", "tests"}):
        if not row.get(key):
            mistakes.append(f"{name} has no '{key}'")
    for key in sorted(set(row) - texts - {"id", "tests", "survivor"}):
        mistakes.append(f"{name} has an unknown key '{key}'")
    if not isinstance(row.get("id", 0), int):
        mistakes.append(f"{name}: 'id' is not a number")
    if len(mistakes) > before:
        return None
    if not PLACEHOLDER.search(row["replace"]) or PLACEHOLDER.search(row["find"]):
        mistakes.append(f"{name}: MUTANT belongs into 'replace', and only there")
    return Mutant(
        row["id"], row["file"], row["find"], row["replace"], row["harm"], tuple(row["tests"]), row.get("survivor", ""))


def read(root: str) -> MutantList:
    """Reads the list, and compares it with the sources and the tests.

    Raises ListError with every mistake: a text that is not in its file exactly once, a suite that does not exist, an ID
    that is used twice.
    """
    with open(os.path.join(root, LIST), "rb") as file:
        try:
            table = tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise ListError(f"{LIST}: {error}") from error
    mistakes: list[str] = []
    found = [_mutant(row, place, mistakes) for place, row in enumerate(table.get("mutant", []), 1)]
    mutants = [mutant for mutant in found if mutant]
    wide: dict[str, list[str]] = table.get("wide", {})
    sessions: list[str] = table.get("sessions", {}).get("tests", [])
    known = suites(root)

    def check(place: str, name: str) -> None:
        module, _, suite = place.partition("/")
        if module not in known or suite and suite not in known[module]:
            mistakes.append(f"{LIST}: {name}: there is no suite {place}")

    for module, places in wide.items():
        for place in places:
            check(place, f"[wide] {module}")
    for place in sessions:
        check(place, "[sessions]")
    seen: set[int] = set()
    for mutant in mutants:
        if mutant.id in seen:
            mistakes.append(f"{LIST}: mutant {mutant.id} is there twice")
        seen.add(mutant.id)
        if mutant.module not in wide:
            mistakes.append(f"{LIST}: mutant {mutant.id}: [wide] has no tests for the module of {mutant.file}")
        for place in mutant.tests:
            check(place, f"mutant {mutant.id}")
    for path in sorted({mutant.file for mutant in mutants}):
        try:
            mutated(root, path, mutants)
        except ListError as error:
            mistakes.append(str(error))
    if mistakes:
        raise ListError("\n".join(mistakes))
    explorer: dict[str, list[str]] = table.get("explorer", {})
    return MutantList(tuple(mutants), wide, sessions, explorer, table.get("model", {}).get("command", []))


def mutated(root: str, path: str, mutants: list[Mutant]) -> str:
    """Returns the text of a file with its mutants behind the switch."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        ids = ", ".join(str(mutant.id) for mutant in mutants if mutant.file == path)
        raise ListError(f"{path}: there is no such file, and mutant {ids} names it") from None
    places: list[tuple[int, Mutant]] = []
    mistakes: list[str] = []
    for mutant in mutants:
        if mutant.file != path:
            continue
        count = text.count(mutant.find)
        if count == 1:
            places.append((text.index(mutant.find), mutant))
        else:
            first = mutant.find.strip().split("\n", 1)[0]
            mistakes.append(f"{path}: the text of mutant {mutant.id} is there {count} times, not once: {first}")
    places.sort(key=lambda place: place[0])
    for (start, first), (other, second) in zip(places, places[1:]):
        if start + len(first.find) > other:
            mistakes.append(f"{path}: mutants {first.id} and {second.id} overlap")
    if mistakes:
        raise ListError("\n".join(mistakes))
    for start, mutant in reversed(places):
        text = text[:start] + mutant.code + text[start + len(mutant.find):]
    return text


def files(root: str) -> list[str]:
    """Returns the files of the tree: those that Git has or would take, and two that it ignores."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True).stdout
    names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
    names |= {"Package.resolved", "Sources/Program/cardpresent/Commit.swift"}
    return sorted(name for name in names if os.path.lexists(os.path.join(root, name)))


def digest(root: str, names: list[str]) -> str:
    """Returns what tells one state of sources, tests, and list from another one."""
    hashed = hashlib.sha256()
    for name in names:
        if name.startswith(("Sources/", "Simulator/", "Tests/", "Package.", "Proof/mutations/")):
            hashed.update(name.encode() + b"\0")
            with open(os.path.join(root, name), "rb") as file:
                hashed.update(hashlib.sha256(file.read()).digest())
    return hashed.hexdigest()[:16]
