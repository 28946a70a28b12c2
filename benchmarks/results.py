"""Save benchmark results: a JSON file with the machine, and a Markdown page."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from benchmark_text import ROOT, describe_other_text, find_results_folder

FOLDER = find_results_folder()


def describe_machine() -> dict[str, object]:
    """Describe the machine."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    return {"processor": model, "cores": os.cpu_count(), "python": platform.python_version()}


def command_line() -> str:
    """Return the command line, relative to the root of the repository."""
    script = Path(sys.argv[0]).resolve().relative_to(ROOT)
    command = shlex.join(["python", str(script), *sys.argv[1:]])
    return " ".join(filter(None, [describe_other_text(), command]))


def format_table(rows: Sequence[Sequence[object]]) -> str:
    """Format a Markdown table; the first row is its head, the first column is text."""
    head, *body = [[str(cell) for cell in row] for row in rows]
    alignment = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, alignment, *body])


def save(name: str, title: str, figures: dict[str, Any], sections: Sequence[str]) -> None:
    """Write `results/NAME.json` and `results/NAME.md`, and print the latter."""
    today, machine = date.today().isoformat(), describe_machine()
    FOLDER.mkdir(parents=True, exist_ok=True)
    whole = {"command": command_line(), "date": today, "machine": machine, **figures}
    (FOLDER / f"{name}.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    origin = f"`{command_line()}`, {today}, {machine['processor']}, {machine['cores']} cores"
    text = "\n\n".join([f"# {title}", origin, *sections]) + "\n"
    (FOLDER / f"{name}.md").write_text(text)
    print(text)
