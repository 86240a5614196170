"""Runs the Python examples of docs/python.md and of the package's README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cardpresent import Service

CLIENT = Path(__file__).parents[1]


def examples(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


EXAMPLES = examples(CLIENT.parents[1] / "docs" / "python.md") + examples(CLIENT / "README.md")


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_runs(example: str, pytester: pytest.Pytester, cardpresent_service: Service) -> None:
    if "def test_" in example:
        pytester.makepyfile(example)
        pytester.runpytest("--cardpresent-service", cardpresent_service.address).assert_outcomes(passed=1)
    else:
        exec(compile(example, "docs/python.md", "exec"), {"__name__": "__main__"})
