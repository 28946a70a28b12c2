"""Where figures go: a JSON file with what they were measured on, and a table to read."""

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

FOLDER = Path(__file__).parent / "results"
SHARED = Path(os.environ.get("SUPERWORD_SHARED", Path(__file__).parents[2] / "shared"))


def machine() -> dict[str, object]:
    """The machine, as far as it explains figures."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    return {"processor": model, "cores": os.cpu_count(), "python": platform.python_version()}


def command() -> str:
    """The command line, as one would type it at the repository's root."""
    script = Path(sys.argv[0]).resolve().relative_to(FOLDER.parents[1])
    return shlex.join(["python", str(script), *sys.argv[1:]])


def table(rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first row is its head, the first column names the others."""
    head, *body = [[str(cell) for cell in row] for row in rows]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])


def save(name: str, title: str, figures: dict[str, Any], sections: Sequence[str]) -> None:
    """Write `results/NAME.json` and `results/NAME.md`, and show the latter."""
    facts = {"command": command(), "date": date.today().isoformat(), "machine": machine()}
    FOLDER.mkdir(exist_ok=True)
    whole = {**facts, **figures}
    (FOLDER / f"{name}.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    made = f"`{command()}`, {date.today()}, {machine()['processor']}, {os.cpu_count()} cores"
    text = "\n\n".join([f"# {title}", made, *sections]) + "\n"
    (FOLDER / f"{name}.md").write_text(text)
    print(text)
