"""Every function that Python calls turns a panic into an `InternalError`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "crates/superword-python/src"
# They return an object as it is, and fill a view of it.
EXEMPT = {"__iter__", "__getbuffer__"}


def list_functions(source: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the body of each function that Python calls."""
    for block in re.findall(r"^#\[pymethods\]\nimpl \w+ \{\n(.*?)^\}", source, re.M | re.S):
        yield from re.findall(r"^    (?:unsafe )?fn (\w+)(.*?)^    \}$", block, re.M | re.S)
    for rest in re.split(r"^#\[pyfunction\]$", source, flags=re.M)[1:]:
        yield from re.findall(r"^fn (\w+)(.*?)^\}$", rest, re.M | re.S)[:1]


def test_every_function_that_python_calls_is_guarded() -> None:
    functions = [
        (path.name, *function)
        for path in sorted(SOURCES.glob("*.rs"))
        for function in list_functions(path.read_text(encoding="utf-8"))
    ]
    assert len(functions) > 80
    for file, name, body in functions:
        start = body[body.index(" {\n") + 3 :].lstrip()
        assert name in EXEMPT or start.startswith("guard(||"), f"{file}: {name}"


def test_no_attribute_hides_a_function_from_this_test() -> None:
    for path in SOURCES.glob("*.rs"):
        source = path.read_text(encoding="utf-8")
        found = re.findall(r"^#\[pymethods\]\nimpl \w+ \{\n", source, re.M)
        assert len(found) == source.count("#[pymethods]"), path.name
        found = re.findall(r"^#\[pyfunction\]$", source, re.M)
        assert len(found) == source.count("#[pyfunction"), path.name
