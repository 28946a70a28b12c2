"""Save benchmark results: a JSON file and a Markdown page.

Both say what was run where: the command, the date, the commit, the versions and the machine.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import superword
from benchmark_text import ROOT, find_results_folder

# What superword is built from.
BUILT_FROM = ["crates/*/src", "crates/*/Cargo.toml", "python", "Cargo.toml", "Cargo.lock"]


def describe_commit() -> str:
    """Return the commit of the checkout, and whether the sources differ from it."""

    def run_git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        commit = run_git("rev-parse", "--short=12", "HEAD")
        changed = run_git("status", "--porcelain", "--", *BUILT_FROM)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}, with changes" if changed else commit


def describe_machine() -> dict[str, object]:
    """Describe the machine."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    gigabytes = None
    if hasattr(os, "sysconf"):
        gigabytes = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "gigabytes": gigabytes,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def command_line() -> str:
    """Return the command line, relative to the root of the repository."""
    script = Path(sys.argv[0]).resolve().relative_to(ROOT)
    return shlex.join(["python", str(script), *sys.argv[1:]])


def format_table(rows: Sequence[Sequence[object]]) -> str:
    """Format a Markdown table; the first row is its head, the first column is text."""
    head, *body = [[str(cell) for cell in row] for row in rows]
    alignment = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, alignment, *body])


def save(
    name: str,
    title: str,
    figures: dict[str, Any],
    sections: Sequence[str],
    *,
    peers: Mapping[str, str] | None = None,
) -> None:
    """Write `results/NAME.json` and `results/NAME.md`, and print the latter.

    Args:
        name: The name of the files.
        title: The title of the page.
        figures: What was measured.
        sections: The page.
        peers: The versions of the packages that superword is compared with.
    """
    machine = describe_machine()
    versions = {"superword": superword.__version__, **(peers or {})}
    origin = {
        "command": command_line(),
        "date": date.today().isoformat(),
        "commit": describe_commit(),
        "versions": versions,
        "machine": machine,
    }
    folder = find_results_folder()
    folder.mkdir(parents=True, exist_ok=True)
    whole = json.dumps({**origin, **figures}, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(whole + "\n")
    described = (
        f"`{origin['command']}`, {origin['date']}, commit {origin['commit']}; "
        f"{', '.join(map(' '.join, versions.items()))}, Python {machine['python']}; "
        f"{machine['processor']}, {machine['cores']} cores"
    )
    text = "\n\n".join([f"# {title}", described, *sections]) + "\n"
    (folder / f"{name}.md").write_text(text)
    print(text)
