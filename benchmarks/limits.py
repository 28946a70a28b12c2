"""Measure how far each stage is from what the memory and the processor give.

    python benchmarks/limits.py

One thread on one core. Each stage's speed stands beside a plain copy, and its cache misses beside a
pointer chase over a table as large as its memory. Callgrind counts its instructions and misses. The
counts take most of the time and depend on no timing: the work folder keeps them for the next run
with the same core.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import zstandard

import results
from benchmark_text import find_work_folder, parse_options
from encode_runs import prepare_halves, prepare_models
from harness import hash_file, prepare_corpus, write_once
from probes import Probes, compile_probes
from stage_counts import STAGES, count_events, describe_second_level
from stage_figures import BUSY, StageFigures, describe_limit
from superword import _core

MIN_TABLE_BYTES = 1_000_000
# A miss fetches a cache line.
LINE_BYTES = 64

Arguments = Mapping[str, Sequence[object]]


@dataclass
class Machine:
    """What the machine gives: cycles and copied bytes in a nanosecond."""

    gigahertz: float
    copied: float


def prepare_inputs(size: int, model_size: int) -> Arguments:
    """Return the arguments of each kind of stages in limit_stages.py."""
    lines, halves = prepare_corpus(size), prepare_halves()
    model, _ = prepare_models(model_size)
    compressed = write_once(
        f"{lines.name}.zst", lambda path: path.write_bytes(zstandard.compress(lines.read_bytes()))
    )
    return {
        "training": [lines],
        "encoding": [model, halves.first, halves.second],
        "reading": [lines, compressed],
    }


def time_stages(library: Path, kinds: Arguments, repeats: int) -> dict[str, dict[str, float]]:
    """Return the seconds, bytes and memory of the fastest run of each stage."""
    best: dict[str, dict[str, float]] = {}
    for kind, arguments in kinds.items():
        command = [str(word) for word in [sys.executable, STAGES, kind, library, *arguments]]
        for _ in range(repeats):
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            for stage, found in json.loads(done.stdout).items():
                if stage not in best or found["seconds"] < best[stage]["seconds"]:
                    best[stage] = found
    return best


def compare_stage(
    timed: Mapping[str, float], counts: Mapping[str, int], machine: Machine, probes: Probes
) -> StageFigures:
    """Compare a stage with what the machine gives."""
    size = timed["bytes"]
    nanoseconds = timed["seconds"] * 1e9
    chase = probes.measure_chase(max(int(timed["memory"]), MIN_TABLE_BYTES))
    return StageFigures(
        megabytes_per_second=size / timed["seconds"] / 1e6,
        memory_megabytes=timed["memory"] / 1e6,
        instructions=counts["instructions"] / size,
        misses=counts["misses"] / size,
        mispredicted=counts["mispredicted"] / size,
        chase_nanoseconds=chase,
        instructions_per_cycle=counts["instructions"] / (nanoseconds * machine.gigahertz),
        copy_ratio=nanoseconds / size * machine.copied,
        misses_in_turn=counts["misses"] * chase / nanoseconds,
        misses_at_once=counts["misses"] * LINE_BYTES / machine.copied / nanoseconds,
    )


def describe_counted_code() -> str:
    """Say so if this processor runs other code than Callgrind counts."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    if "avx512_vbmi2" not in flags:
        return ""
    return (
        " Callgrind knows no AVX-512, which this processor has: splitting and encoding take fewer "
        "instructions here than counted, both for each byte and a cycle."
    )


def build_rows(measured: Mapping[str, StageFigures]) -> list[list[object]]:
    """Build the rows of the table."""
    rows: list[list[object]] = [
        [
            "stage",
            "MB/s",
            "copy / stage",
            "instructions a byte",
            "a cycle",
            "misses in 1000 bytes",
            "mispredicted in 1000 bytes",
            "memory, MB",
            "chase, ns",
            "misses in turn",
            "misses at once",
        ]
    ]
    for stage, found in measured.items():
        rows.append(
            [
                stage,
                f"{found.megabytes_per_second:.0f}",
                f"{found.copy_ratio:.0f}",
                f"{found.instructions:.0f}",
                f"{found.instructions_per_cycle:.1f}",
                f"{1000 * found.misses:.0f}",
                f"{1000 * found.mispredicted:.0f}",
                f"{found.memory_megabytes:.0f}",
                f"{found.chase_nanoseconds:.0f}",
                f"{found.misses_in_turn:.0%}",
                f"{found.misses_at_once:.0%}",
            ]
        )
    return rows


def main() -> None:
    """Measure and write `results/limits`."""
    parser = argparse.ArgumentParser(description="Measure how far each stage is from its limits.")
    parser.add_argument("--size", type=int, default=100, metavar="MB", help="training text")
    parser.add_argument(
        "--model-size", type=int, default=1000, metavar="MB", help="text of the encoder's model"
    )
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parse_options(parser)
    kinds = prepare_inputs(options.size, options.model_size)
    library = compile_probes(find_work_folder())
    core = hash_file(Path(_core.__file__))[:12]
    kept = write_once(
        f"limits-{options.size}-{options.model_size}-{core}.json",
        lambda path: path.write_text(json.dumps(count_events(library, kinds))),
    )
    counts = json.loads(kept.read_text())
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    probes = Probes(library)
    machine = Machine(probes.measure_gigahertz(), probes.measure_copy())
    measured = {
        stage: compare_stage(timed, counts[stage], machine, probes)
        for stage, timed in time_stages(library, kinds, options.repeats).items()
    }
    size, ways, _ = describe_second_level().split(",")
    results.save(
        "limits",
        "How far each stage is from the limits of this machine, one thread",
        {
            "machine_limits": asdict(machine),
            "stages": {stage: asdict(found) for stage, found in measured.items()},
        },
        [
            f"BoundlessBPE, gpt4o, vocabulary 131,072: training on {options.size} MB of text, "
            f"encoding with a model of {options.model_size} MB; time of one core, best of "
            f"{options.repeats}. This core has {machine.gigahertz:.1f} GHz, and a plain copy of "
            f"512 MB runs at {1000 * machine.copied:,.0f} MB/s.",
            results.format_table(build_rows(measured)),
            "`copy / stage` is how many times faster the copy is. Callgrind counts instructions, "
            "and simulates caches and a simple branch predictor: virtual machines rarely have "
            "hardware counters. A miss is one of a second-level cache of "
            f"{int(size) // 1024} KiB and {ways} ways; processors also prefetch, which hides many "
            "misses. `memory` is what the process has more at the end of the stage than before "
            "the first. `chase` is the time of a step of a pointer chase over a table of that "
            "size. `misses in turn` is the share of the stage's time that its misses would take "
            "if each waited as in the chase, and `misses at once` the share if they came as fast "
            "as in the copy: what the stage waits for memory is between the two. Above 100%, "
            f"misses overlap. A processor is called busy from {BUSY:.0f} instructions a cycle on."
            + describe_counted_code(),
            "\n".join(
                f"- **{stage}**: {describe_limit(stage, found)}"
                for stage, found in measured.items()
            ),
        ],
    )


if __name__ == "__main__":
    main()
