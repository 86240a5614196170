"""Runs the steps of the GitHub Action (action.yml) as a runner does, with the program of CARDPRESENT_PROGRAM."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
ACTION: Any = YAML(typ="safe").load(ROOT / "action.yml")
STEPS = ACTION["runs"]["steps"]
APPROVED = """\
template_version: 1
description: A sale is approved
steps:
  - connect
  - pay: 12.50
    expect: { outcome: approved }
"""


@dataclass
class Result:
    """What a run of the action left behind."""

    status: int = 0
    output: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    summary: str = ""


class Runner:
    """A runner with a workspace, whose `cardpresent` is the program to be tested."""

    def __init__(self, folder: Path) -> None:
        self.workspace, self.tools, self._state = folder / "work space", folder / "tools", folder / "state"
        for each in (self.workspace, self.tools, self._state):
            each.mkdir()
        self._groups: list[int] = []

    def has_program(self) -> None:
        (self.tools / "cardpresent").symlink_to(os.environ["CARDPRESENT_PROGRAM"])

    def has_tool(self, name: str, text: str) -> None:
        (self.tools / name).write_text("#!/bin/sh\n" + text)
        (self.tools / name).chmod(0o755)

    def write(self, name: str, text: str) -> None:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, **given: str) -> Result:
        """Runs the steps until one fails."""
        inputs = {name: each["default"] for name, each in ACTION["inputs"].items()} | given
        values = {f"inputs.{name}": value for name, value in inputs.items()}
        values["github.server_url"] = "https://github.example"
        values["github.action_repository || github.repository"] = "the/repository"
        result = Result()
        for step in STEPS:
            if "run" not in step or not holds(step.get("if"), values):
                continue
            variables = {name: filled(text, values) for name, text in step["env"].items()}
            self._run(step["run"], result.environment | variables, result)
            values |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in result.outputs.items()}
            if result.status:
                break
        return result

    def _run(self, script: str, variables: dict[str, str], result: Result) -> None:
        file = self._state / "script.sh"
        file.write_text(script)
        environment = {"PATH": f"{self.tools}:/usr/bin:/bin", "RUNNER_TEMP": str(self._state), "GITHUB_ACTIONS": "true"}
        for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY"):
            environment[name] = str(self._state / name)
            (self._state / name).touch()
        process = subprocess.Popen(
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", file],
            cwd=self.workspace,
            env=environment | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._groups.append(process.pid)
        result.output += process.communicate(timeout=120)[0]
        result.status = process.returncode
        result.outputs |= pairs(self._state / "GITHUB_OUTPUT")
        result.environment |= pairs(self._state / "GITHUB_ENV")
        result.summary = (self._state / "GITHUB_STEP_SUMMARY").read_text()

    def end(self) -> None:
        """Ends what the steps left running, as a runner does at the end of a job."""
        for group in self._groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass


def pairs(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)


def holds(condition: str | None, values: dict[str, str]) -> bool:
    if condition is None:
        return True
    name, operator, word = condition.split()
    return (values[name] == word.strip("'")) == (operator == "==")


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    runner = Runner(tmp_path)
    yield runner
    runner.end()


def test_the_service_runs_for_later_steps(runner: Runner) -> None:
    runner.has_program()
    result = runner.run(port="0")
    assert result.status == 0, result.output
    address = result.outputs["address"]
    assert result.environment["CARDPRESENT_SIMULATOR"] == address
    assert result.environment["CARDPRESENT_PROGRAM"] == result.outputs["program"] == str(runner.tools / "cardpresent")
    with urllib.request.urlopen(address + "/v1", timeout=30) as response:
        assert response.status == 200


def test_a_port_in_use_ends_the_job(runner: Runner) -> None:
    runner.has_program()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = runner.run(port=str(port))
    assert result.status == 1
    assert f"::error::the simulation service did not start on port {port}: " in result.output
    assert "another program uses the port" in result.output


def test_scenarios_run_and_leave_reports(runner: Runner) -> None:
    runner.has_program()
    runner.write("my scenarios/approved.yaml", APPROVED)
    runner.write("other.yaml", APPROVED)
    result = runner.run(
        serve="false", scenarios="my scenarios\n\n  other.yaml\n", jobs="1", junit="out/results.xml", html="out/pages"
    )
    assert result.status == 0, result.output
    assert "2 scenarios: 2 passed" in result.output
    assert ElementTree.parse(runner.workspace / "out/results.xml").getroot().get("tests") == "2"
    assert list((runner.workspace / "out/pages").glob("*.html"))
    assert "address" not in result.outputs
    assert "::error" not in result.output
    assert "2 passed" in result.summary


def test_a_failed_scenario_is_annotated_at_its_line(runner: Runner) -> None:
    runner.has_program()
    runner.write("scenarios/wrong.yaml", APPROVED.replace("approved }", "declined }"))
    result = runner.run(serve="false", scenarios="scenarios", junit="results.xml")
    assert result.status == 1
    (annotation,) = [line for line in result.output.splitlines() if line.startswith("::error")]
    assert annotation.startswith("::error file=scenarios/wrong.yaml,line=6,title=")
    assert "approved" in annotation
    assert ElementTree.parse(runner.workspace / "results.xml").getroot().get("failures") == "1"


def test_a_mistake_in_a_scenario_ends_the_job(runner: Runner) -> None:
    runner.has_program()
    runner.write("wrong.yaml", APPROVED.replace("expect", "expects"))
    result = runner.run(serve="false", scenarios="wrong.yaml")
    assert result.status == 65
    assert "wrong.yaml:6" in result.output


def test_a_job_without_the_program_is_told_what_to_do(runner: Runner) -> None:
    result = runner.run()
    assert result.status == 1
    assert "::error::cardpresent is not on the PATH: give the input 'deb' or 'version'" in result.output


def test_a_package_is_installed(runner: Runner, tmp_path: Path) -> None:
    link = f"ln -s {os.environ['CARDPRESENT_PROGRAM']} {runner.tools}/cardpresent"
    runner.has_tool("apt-get", f'echo "$@" >{tmp_path}/asked; {link}')
    runner.has_tool("sudo", 'exec "$@"')
    runner.write("dist/cardpresent.deb", "")
    result = runner.run(deb="dist/cardpresent.deb", serve="false")
    assert result.status == 0, result.output
    assert (tmp_path / "asked").read_text().split(maxsplit=3)[3] == f"{runner.workspace}/dist/cardpresent.deb\n"


def test_a_missing_package_is_named(runner: Runner) -> None:
    result = runner.run(deb="dist/none.deb")
    assert result.status == 1
    assert "::error::there is no file 'dist/none.deb'" in result.output


def test_a_version_is_downloaded(runner: Runner, tmp_path: Path) -> None:
    runner.has_program()
    runner.has_tool("dpkg", "echo amd64")
    runner.has_tool("apt-get", "exit 0")
    runner.has_tool("sudo", 'exec "$@"')
    save = 'touch "$RUNNER_TEMP/cardpresent_0.2.0_amd64.deb"'
    runner.has_tool("curl", f'for last; do :; done; echo "$last" >{tmp_path}/asked; {save}')
    result = runner.run(version="v0.2.0", serve="false")
    assert result.status == 0, result.output
    address = "https://github.example/the/repository/releases/download/v0.2.0/cardpresent_0.2.0_amd64.deb\n"
    assert (tmp_path / "asked").read_text() == address


def test_no_input_becomes_part_of_a_script() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"


def test_the_report_is_uploaded_also_after_a_failure() -> None:
    upload = STEPS[-1]
    assert upload["uses"].startswith("actions/upload-artifact@")
    assert upload["if"].startswith("${{ !cancelled() && ")


def test_every_input_is_used_and_described() -> None:
    steps = str(STEPS)
    page = (ROOT / "docs" / "python.md").read_text()
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in steps
        assert f"| `{name}` |" in page
