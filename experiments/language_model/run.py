"""Run an experiment: train each model, measure its bits per byte, and add them to the results.

    python -m language_model.run EXPERIMENT.toml WORK RESULTS [--seconds N]

WORK is what `prepare.py` has written. Runs that are in RESULTS are skipped. With --seconds, no run
starts that would not end in time. A run that was stopped goes on from its last checkpoint.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from language_model.configuration import Experiment, Series, read_experiment
from language_model.data import ArmData, read_arm
from language_model.schedule import plan_steps
from language_model.trainer import Trainer

__all__ = ["Run", "list_runs", "run_experiment"]

CHECKPOINT_SECONDS = 120


@dataclass(frozen=True)
class Run:
    """One model to train."""

    series: Series
    arm: str
    seed: int
    rates: list[float]

    @property
    def name(self) -> str:
        """The name of its files."""
        rates = "-".join(f"{rate:g}" for rate in self.rates) if self.series.is_trial else ""
        parts = [self.series.name, self.arm, rates, str(self.seed)]
        return "_".join(part.replace(", ", "-").replace(" ", "-") for part in parts if part).lower()


@dataclass(frozen=True)
class Outcome:
    """What a budget gave.

    Attributes:
        steps: The steps made.
        losses: The mean loss of each step, in nats per token.
        seconds: The time that training took, from the start of the run.
        bits: The bits of each document of the evaluation corpus, if they were measured.
    """

    steps: int
    losses: list[float]
    seconds: float
    bits: NDArray[np.float64] | None

    @property
    def final_loss(self) -> float:
        """The mean loss over the last tenth of the steps."""
        return float(np.mean(self.losses[-max(1, self.steps // 10) :]))

    def describe(
        self, data: ArmData, trainer: Trainer, document_bytes: NDArray[np.int64]
    ) -> dict[str, Any]:
        """Return it as JSON, with a point of the curve for each hundredth of the steps."""
        tokens = self.steps * trainer.rows * trainer.context
        parts = np.array_split(self.losses, min(100, self.steps))
        return {
            "steps": self.steps,
            "tokens": tokens,
            "bytes": round(tokens * data.bytes_per_token),
            "flops": tokens * trainer.flops_per_token,
            "seconds": round(self.seconds, 1),
            "final_loss": self.final_loss,
            "bits_per_byte": None
            if self.bits is None
            else float(self.bits.sum() / document_bytes.sum()),
            "curve": [round(float(part.mean()), 4) for part in parts],
        }


def list_runs(series: Series, results: Path) -> list[Run]:
    """Return the runs of a series, seed by seed."""
    rates = series.rates or [best_rates(series, results)]
    return [
        Run(series, arm, seed, pair)
        for seed in series.seeds
        for pair in rates
        for arm in series.arms
    ]


def best_rates(series: Series, results: Path) -> list[float]:
    """Return the learning rates with the least training loss over the last tenth of the steps.

    The text is read once, so the model has seen none of it before.
    """
    tried = [json.loads(path.read_text()) for path in sorted(results.glob("runs/*.json"))]
    tried = [run for run in tried if run["is_trial"] and run["size"]["name"] == series.size]
    if not tried:
        raise SystemExit(
            f"series {series.name!r} has no learning rates, and none were tried with its size"
        )
    best: list[float] = min(tried, key=lambda run: run["budgets"]["flops"]["final_loss"])["rates"]
    return best


def run_experiment(
    experiment: Experiment, work: Path, results: Path, seconds: float = float("inf")
) -> None:
    """Make the runs that are not in the results yet, while there is time.

    Args:
        experiment: The experiment.
        work: The folder of tokenizers, tokens and checkpoints.
        results: The folder of results.
        seconds: The time that there is.
    """
    started, longest = time.monotonic(), 0.0
    (results / "runs").mkdir(parents=True, exist_ok=True)
    for series in experiment.series:
        for run in list_runs(series, results):
            if (results / "runs" / f"{run.name}.json").exists():
                continue
            if time.monotonic() - started + 1.1 * longest > seconds:
                return
            began = time.monotonic()
            make_run(experiment, run, work, results)
            longest = max(longest, time.monotonic() - began)


def make_run(experiment: Experiment, run: Run, work: Path, results: Path) -> None:
    """Train a model for each budget, measure it, and write the results."""
    series, size = run.series, experiment.sizes[run.series.size]
    data, reference = read_arm(work, run.arm), read_arm(work, series.arms[0])
    flops = series.flops or size.flops
    budgets = plan_steps(experiment, size, flops, data, reference)
    trainer = Trainer(experiment, size, data, run.seed, run.rates)
    checkpoint = work / f"{run.name}.pt"
    outcomes = train_budgets(
        experiment, trainer, budgets, checkpoint, is_measured=not series.is_trial
    )
    document_bytes = data.bytes_per_document()
    described = {
        "series": series.name,
        "arm": run.arm,
        "size": asdict(size),
        "seed": run.seed,
        "rates": run.rates,
        "is_trial": series.is_trial,
        "vocab_size": data.vocab_size,
        "context": trainer.context,
        "rows": trainer.rows,
        "bytes_per_token": data.bytes_per_token,
        "device": torch.cuda.get_device_name() if trainer.device == "cuda" else "cpu",
        "torch": torch.__version__,
        "budgets": {
            budget: outcome.describe(data, trainer, document_bytes)
            for budget, outcome in outcomes.items()
        },
    }
    bits = {
        budget: outcome.bits for budget, outcome in outcomes.items() if outcome.bits is not None
    }
    if bits:
        write_bits(results / "runs" / f"{run.name}.csv.gz", bits)
    # Written last: a run is done when it is there.
    (results / "runs" / f"{run.name}.json").write_text(json.dumps(described, indent=1) + "\n")
    checkpoint.unlink(missing_ok=True)
    for budget, outcome in described["budgets"].items():
        measured = outcome["bits_per_byte"]
        speed = f"{outcome['flops'] / outcome['seconds'] / 1e12:.1f} TFLOP/s"
        quality = (
            f"{measured:.4f} bits per byte" if measured else f"loss {outcome['final_loss']:.4f}"
        )
        print(
            f"{run.name}, equal {budget}: {outcome['steps']:,} steps, {speed}, {quality}",
            flush=True,
        )


def train_budgets(
    experiment: Experiment,
    trainer: Trainer,
    budgets: dict[str, int],
    checkpoint: Path,
    *,
    is_measured: bool,
) -> dict[str, Outcome]:
    """Train a model for each budget, and measure it.

    The budgets share the steps before the learning rate falls; from there each has its own end.

    Args:
        experiment: The experiment.
        trainer: The model.
        budgets: The steps of each budget.
        checkpoint: The file to go on from, if it is there, and to write to.
        is_measured: Whether to measure the model on the evaluation corpus.
    """
    outcomes: dict[str, Outcome] = {}
    fork = None
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location="cpu", weights_only=False)
        if saved["budgets"] != budgets:
            raise SystemExit(f"{checkpoint} is of a run with other settings; delete it")
        outcomes, fork = saved["outcomes"], saved["fork"]
        trainer.restore(saved["trainer"])
    last_saved = time.monotonic()

    def save() -> None:
        nonlocal last_saved
        if time.monotonic() - last_saved < CHECKPOINT_SECONDS:
            return
        temporary = checkpoint.with_suffix(".tmp")
        state = {"budgets": budgets, "outcomes": outcomes, "fork": fork}
        torch.save({**state, "trainer": trainer.state()}, temporary)
        temporary.replace(checkpoint)
        last_saved = time.monotonic()

    for budget, end in sorted(budgets.items(), key=lambda item: item[1]):
        if budget in outcomes:
            continue
        for _ in trainer.train(int((1 - experiment.decay) * end), end):
            save()
        fork = fork or trainer.state()
        for _ in trainer.train(end, end):
            save()
        bits = trainer.bits_per_document() if is_measured else None
        outcomes[budget] = Outcome(end, trainer.losses, trainer.seconds, bits)
        trainer.restore(fork)
        fork = None
    return outcomes


def write_bits(path: Path, bits: dict[str, NDArray[np.float64]]) -> None:
    """Write the bits of each document, a column for each budget."""
    lines = [",".join(bits)]
    lines += [",".join(f"{value:.0f}" for value in row) for row in zip(*bits.values(), strict=True)]
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", type=Path, help="The experiment, a TOML file.")
    parser.add_argument("work", type=Path, help="The folder that prepare.py has written.")
    parser.add_argument("results", type=Path, help="The folder of results.")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="The time there is.")
    options = parser.parse_args()
    experiment = read_experiment(options.experiment, options.work)
    run_experiment(experiment, options.work, options.results, options.seconds)


if __name__ == "__main__":
    main()
