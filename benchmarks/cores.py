"""Measure training on one core and on two, and estimate it on 16, stage by stage.

    python benchmarks/cores.py --size 1000 --repeats 3

Each run is a separate process, pinned to its cores, with as many threads. All runs of a kind must
save the same model. The estimate takes each stage to have a part that does not get faster and a
part that is divided among the cores (Amdahl's law), as the two measured times tell. It takes no
account of memory that 16 cores share, nor of stages that begin to wait for one another.
"""

from __future__ import annotations

import argparse
import os

import results
from benchmark_text import parse_options
from harness import measure_stages, measure_training, prepare_corpus

MANY = 16
RUNS: dict[str, dict[str, object]] = {
    "BoundlessBPE": {"pattern": "gpt4o", "max_superwords": None},
    "plain BPE": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
    "SuperBPE": {
        "pattern": "gpt4o",
        "supermerges": False,
        "deletion": None,
        "transition": 104_857,
    },
}


def estimate(one: float, two: float) -> float:
    """Return the seconds on many cores, given those on one and on two."""
    divided = min(max(2 * (one - two), 0), one)
    return one - divided + divided / MANY


def measure_cores(name: str, size: int, repeats: int) -> dict[str, dict[str, float]]:
    """Return the seconds of each stage on one core and on two, and the estimate."""
    text, expected = prepare_corpus(size), None
    found = []
    for cores in (1, 2):
        os.sched_setaffinity(0, range(cores))
        options = {**RUNS[name], "threads": cores}
        figures = measure_training(text, options, repeats, expected=expected)
        expected = figures["sha256"]
        found.append(measure_stages(figures))
    one, two = found
    return {
        stage: {"1": one[stage], "2": two[stage], str(MANY): estimate(one[stage], two[stage])}
        for stage in one
    }


def main() -> None:
    """Measure and write `results/cores`."""
    parser = argparse.ArgumentParser(description="Measure training on one core and on two.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    measured = {name: measure_cores(name, options.size, options.repeats) for name in RUNS}
    cores = ["1", "2", str(MANY)]
    rows: list[list[object]] = [["training", "1 core", "2 cores", f"{MANY} cores, estimated"]]
    for name, stages in measured.items():
        for stage, seconds in stages.items():
            rows.append([f"{name}: {stage}", *(f"{seconds[each]:.1f}" for each in cores)])
        sums = [sum(seconds[each] for seconds in stages.values()) for each in cores]
        rows.append([f"{name}: all", *(f"{each:.1f}" for each in sums)])
    results.save(
        "cores",
        f"Training on {options.size} MB by the number of cores, vocabulary 131,072",
        {"seconds": measured},
        [
            f"Seconds, best of {options.repeats}. The estimate divides what got faster with the "
            "second core among all of them, and leaves the rest as it is.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
