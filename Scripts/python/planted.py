"""Programs with mutants: modules that have some are compiled anew, and linked with the objects of the debug build.

A mutant changes the body of a function, never what other modules see, so that nothing else has to be compiled.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
from typing import Any

import mutants as lists
from mutants import Mutant

NAME = re.compile(r'^  "(C\..+)":$')
FIELD = re.compile(r"^    (outputs|args): (\[.*\])$")
# Options of a module's command that are for the build of the tree: with a value, and without.
WITH_VALUE = ("-emit-module-path", "-emit-objc-header-path", "-index-store-path")
ALONE = ("-emit-dependencies", "-emit-module", "-emit-objc-header", "-incremental", "-parseable-output",
         "-serialize-diagnostics")
ERROR = re.compile(r"^(/[^:\n]+\.swift):(\d+):\d+: error: (.*)$", re.M)
SWITCHES = re.compile(r"MutantSwitch\.isOn\((\d+)\)")


class CompileError(Exception):
    """Why there is no program: what the compiler says, and the mutants near it."""

    def __init__(self, text: str, errors: list[str] | None = None, guilty: list[int] | None = None) -> None:
        super().__init__(text)
        self.errors, self.guilty = errors or [], guilty or []


class Planted:
    """Compiles modules with their mutants into `folder`, and links programs with them."""

    def __init__(self, root: str, folder: str) -> None:
        self.root, self.folder = root, folder
        self.commands = self._read(os.path.join(root, ".build", "debug.yaml"))
        # By the object of the tree's build, the object instead of it; and objects that are added.
        self.replaced: dict[str, str] = {}
        self.added: list[str] = []

    @staticmethod
    def _read(path: str) -> dict[str, dict[str, list[str]]]:
        """Returns the commands of the build by their names: what they write, and their words."""
        commands: dict[str, dict[str, list[str]]] = {}
        fields: dict[str, list[str]] = {}
        try:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if name := NAME.match(line):
                        fields = commands.setdefault(name.group(1), {})
                    elif field := FIELD.match(line):
                        fields[field.group(1)] = json.loads(field.group(2))
                    elif not line.startswith("    "):
                        fields = {}
        except OSError as error:
            raise CompileError(f"the tree is not built: {error}") from error
        return commands

    def _command(self, start: str, end: str) -> list[str]:
        found = [command for name, command in self.commands.items() if name.startswith(start) and name.endswith(end)]
        if len(found) != 1 or "args" not in found[0]:
            raise CompileError(f".build/debug.yaml has {len(found)} commands {start}…{end}")
        return found[0]["args"]

    def compile(self, module: str, mutants: list[Mutant]) -> bool:
        """Compiles a module with its mutants, unless that was done with the same sources.

        Returns whether it was compiled now.
        """
        place = os.path.join(self.folder, "modules", module)
        texts = {path: lists.mutated(self.root, path, mutants) for path in {mutant.file for mutant in mutants}}
        instead = {os.path.join(self.root, path): os.path.join(place, path) for path in texts}
        switch = os.path.join(place, lists.SWITCH_FILE)
        words, sources, objects = self._words(self._command(f"C.{module}-", ".module"))
        files = [instead.get(source, source) for source in sources] + [switch]
        outputs = {file: os.path.join(place, f"{number}.o") for number, file in enumerate(files)}
        self.replaced |= {objects[old]: outputs[new] for old, new in zip(sources, files)}
        self.added.append(outputs[switch])

        state = self._state(words, sorted(texts.values()), [objects[source] for source in sources])
        note = os.path.join(place, "state")
        if os.path.exists(note):
            with open(note, encoding="utf-8") as file:
                is_same = file.read() == state
            if is_same and all(map(os.path.exists, outputs.values())):
                return False
            os.remove(note)
        for path, text in [(os.path.join(place, path), text) for path, text in texts.items()] + [(switch, lists.SWITCH)]:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        file_map = os.path.join(place, "files.json")
        with open(file_map, "w", encoding="utf-8") as file:
            json.dump({source: {"object": output} for source, output in outputs.items()}, file)
        listed = os.path.join(place, "sources")
        with open(listed, "w", encoding="utf-8") as file:
            file.write("".join(shlex.quote(name) + "\n" for name in files))
        done = subprocess.run(
            words + ["-output-file-map", file_map, "@" + listed], cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise self._error(f"{module} can't be compiled with its mutants", done.stdout + done.stderr)
        with open(note, "w", encoding="utf-8") as file:
            file.write(state)
        return True

    @staticmethod
    def _words(command: list[str]) -> tuple[list[str], list[str], dict[str, str]]:
        """Returns what of a module's command is kept, its sources, and the object of each."""
        words: list[str] = []
        sources: list[str] = []
        objects: dict[str, str] = {}
        left = iter(command)
        for word in left:
            if word in WITH_VALUE:
                next(left, None)
            elif word == "-output-file-map":
                with open(next(left), encoding="utf-8") as file:
                    table: dict[str, Any] = json.load(file)
                objects = {source: row["object"] for source, row in table.items() if "object" in row}
            elif word.startswith("@"):
                with open(word[1:], encoding="utf-8") as file:
                    sources += shlex.split(file.read())
            elif word not in ALONE:
                words.append(word)
        return words, sources, objects

    @staticmethod
    def _state(words: list[str], texts: list[str], objects: list[str]) -> str:
        """Returns what changes when the module has to be compiled again.

        The build of the tree writes an object again when its source has changed, or a module that it uses.
        """
        hashed = hashlib.sha256(json.dumps([words, texts, lists.SWITCH]).encode())
        for name in objects:
            status = os.stat(name)
            hashed.update(f"{name} {status.st_mtime_ns} {status.st_size}\n".encode())
        return hashed.hexdigest()

    def _error(self, text: str, output: str) -> CompileError:
        guilty: set[int] = set()
        errors: list[str] = []
        for path, line, words in ERROR.findall(output):
            errors.append(f"{os.path.relpath(path, self.root)}:{line}: {words}")
            with open(path, encoding="utf-8") as file:
                near = file.read().split("\n")[max(0, int(line) - 3):int(line) + 2]
            guilty |= {int(number) for number in SWITCHES.findall("\n".join(near))}
        return CompileError(text, list(dict.fromkeys(errors)) or output.split("\n")[-20:], sorted(guilty))

    def link(self, product: str) -> None:
        """Links a product of the tree into the folder, with the compiled modules instead of those of the tree."""
        command = next(
            (command["args"] for command in self.commands.values()
             if "args" in command and len(command.get("outputs", [])) == 1
             and os.path.basename(command["outputs"][0]) == product and "-emit-executable" in command["args"]), None)
        if command is None:
            raise CompileError(f".build/debug.yaml has no command that links {product}")
        words = list(command)
        words[words.index("-o") + 1] = os.path.join(self.folder, product)
        for place, word in enumerate(words):
            if word.startswith("@"):
                with open(word[1:], encoding="utf-8") as file:
                    objects = [self.replaced.get(name, name) for name in shlex.split(file.read())] + self.added
                listed = os.path.join(self.folder, product + ".objects")
                with open(listed, "w", encoding="utf-8") as file:
                    file.write("".join(shlex.quote(name) + "\n" for name in objects))
                words[place] = "@" + listed
        done = subprocess.run(words, cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise self._error(f"{product} can't be linked with the mutants", done.stdout + done.stderr)
