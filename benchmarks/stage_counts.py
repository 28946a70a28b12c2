"""Count the instructions, cache misses and mispredicted branches of stages, with Callgrind.

Virtual machines often have no hardware counters. Callgrind simulates caches: the first level of
this processor, and as the last level the second one, because the third is shared with others.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

STAGES = Path(__file__).with_name("limit_stages.py")
CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index2")
# The events of Callgrind that each figure adds up.
EVENTS = {
    "instructions": ["Ir"],
    "misses": ["ILmr", "DLmr", "DLmw"],
    "mispredicted": ["Bcm", "Bim"],
}

Counts = dict[str, dict[str, int]]


def describe_second_level() -> str:
    """Return size, ways and line of the second-level cache, as Valgrind takes them."""
    kilobytes = (CACHE / "size").read_text().strip().removesuffix("K")
    names = ("ways_of_associativity", "coherency_line_size")
    ways, line = ((CACHE / name).read_text().strip() for name in names)
    return f"{int(kilobytes) * 1024},{ways},{line}"


def count_events(library: Path, kinds: Mapping[str, Sequence[object]]) -> Counts:
    """Run each kind of stages under Callgrind, all at once; return the counts by stage."""
    counts: Counts = {}
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for kind, arguments in kinds.items():
            options = ["--tool=callgrind", "--instr-atstart=no", "--cache-sim=yes"]
            options += ["--branch-sim=yes", f"--LL={describe_second_level()}"]
            options += [f"--callgrind-out-file={folder}/{kind}"]
            stages = [sys.executable, STAGES, kind, library, *arguments]
            command = [str(word) for word in ["valgrind", "--quiet", *options, *stages]]
            running.append(
                subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
                )
            )
        for process in running:
            _, errors = process.communicate()
            if process.returncode != 0:
                raise SystemExit(f"{process.args!r} failed:\n{errors}")
        for path in Path(folder).glob("*.*"):
            counts |= read_dump(path.read_text())
    return counts


def read_dump(text: str) -> Counts:
    """Return the counts of a dump of Callgrind, by the stage that it names."""
    fields = dict(re.findall(r"^(desc: Trigger|events|totals): (.*)$", text, re.MULTILINE))
    totals = dict(zip(fields["events"].split(), map(int, fields["totals"].split()), strict=True))
    stage = fields["desc: Trigger"].removeprefix("Client Request: ")
    return {stage: {name: sum(totals[e] for e in events) for name, events in EVENTS.items()}}
