"""Training and measuring everything that the paper's figures and tables need, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from superword.corpus.paths import RawPath
from superword.errors import SuperwordError
from superword.evaluation.baselines import train_baseline, truncate_baseline
from superword.evaluation.contestants import Contestant, all_contestants
from superword.evaluation.extra import needs
from superword.evaluation.measure import evaluate
from superword.evaluation.measurement import Measurement
from superword.evaluation.results import Curve, Results
from superword.evaluation.settings import Settings
from superword.evaluation.steps import Steps, digest
from superword.evaluation.text_rows import row_of
from superword.evaluation.tokenizers import AnyTokenizer, HuggingFace, Ours
from superword.tokenizer.tokenizer import Deletion, Tokenizer, load
from superword.training.progress import ProgressCallback
from superword.training.training import train

__all__ = ["reproduce"]

# Part of every digest: raise it when what is trained or measured changes its meaning.
VERSION = 2


def reproduce(
    settings: Settings,
    *,
    say: Callable[[str], object] = lambda line: None,
    progress: bool | ProgressCallback = False,
) -> Results:
    """Train and measure everything that is not yet there.

    Args:
        settings: What to do.
        say: Is told what is done next, if it takes long.
        progress: True to show bars on a terminal, or a function to call.

    Raises:
        SuperwordError: If a baseline loses bytes, or a library is missing.
        CorpusError: If a corpus cannot be read.
    """
    job = Job(settings, Steps(settings.out, say), progress)
    transition = settings.transition or None
    found = all_contestants(settings.baselines, settings.baseline_bytes, transition)
    measured = {}
    for contestant in found:
        for size, each in job.measure(contestant):
            measured[contestant.key, size] = each
    ours = [each for each in found if each.baseline is None and each.is_nested]
    return Results(
        contestants={each.key: each for each in found},
        sizes=settings.vocab_sizes,
        measured=measured,
        curves={each.key: job.curve(each) for each in ours},
        sentence=(settings.sentence, job.sentence(found)),
    )


class Job:
    """The steps of one reproduction."""

    def __init__(self, settings: Settings, steps: Steps, progress: bool | ProgressCallback) -> None:
        self.settings = settings
        self.steps = steps
        self.progress = progress

    def made_from(self, contestant: Contestant, size: int) -> str:
        """A digest of all that decides a model."""
        text = self.settings.train_digest(contestant.max_bytes)
        return digest(VERSION, asdict(contestant), size, text)

    def model(self, contestant: Contestant, size: int) -> Path:
        """Train a model, or find it. One of the largest size holds the smaller ones."""
        largest = self.settings.vocab_sizes[-1]
        trained = largest if contestant.is_nested else size
        name = f"models/{contestant.key}-{trained}.json"
        made_from = self.made_from(contestant, trained)
        return self.steps.do(name, made_from, lambda path: self.train(contestant, trained, path))

    def train(self, contestant: Contestant, size: int, path: Path) -> None:
        """Train a model and save it."""
        settings = self.settings
        options: dict[str, Any] = {
            "pattern": contestant.pattern,
            "column": settings.column,
            "max_bytes": contestant.max_bytes or settings.train_bytes,
            "progress": self.progress,
        }
        corpus = [RawPath(place) for place in settings.train]
        if contestant.baseline is not None:
            baseline = train_baseline(contestant.baseline, corpus, size, **options)
            scratch = path.with_suffix(".part")
            baseline.save(str(scratch))
            scratch.replace(path)
            return
        if contestant.transition is not None:
            options["transition"] = max(256, int(size * contestant.transition))
        with warnings.catch_warnings():
            # A small corpus has no pairs for a large vocabulary; the report shows how many.
            warnings.filterwarnings("ignore", "the corpus has pairs for")
            model = train(
                corpus,
                size,
                supermerges=contestant.supermerges,
                deletion=cast(Deletion, contestant.deletion),
                threads=settings.threads,
                **options,
            )
        model.save(path)

    def tokenizer(self, contestant: Contestant, size: int) -> AnyTokenizer:
        """The tokenizer of a contestant at a size."""
        path = self.model(contestant, size)
        if contestant.baseline is None:
            return Ours(smaller(load(path), size), contestant.label)
        baseline = needs("tokenizers").Tokenizer.from_file(str(path))
        if contestant.is_nested and size < baseline.get_vocab_size():
            baseline = truncate_baseline(baseline, size)
        return HuggingFace(baseline, contestant.label)

    def measure(self, contestant: Contestant) -> Iterator[tuple[int, Measurement]]:
        """Measure a contestant at every size, or find what was measured."""
        settings = self.settings
        corpus = [RawPath(place) for place in settings.eval]
        for size in settings.vocab_sizes:

            def make(path: Path, size: int = size) -> None:
                measured = evaluate(
                    self.tokenizer(contestant, size),
                    corpus,
                    seed=settings.seed,
                    column=settings.column,
                    source=settings.source,
                    max_bytes=settings.eval_bytes,
                    threads=settings.threads,
                    progress=self.progress,
                )
                if measured.altered:
                    raise SuperwordError(
                        f"{contestant.label} at {size:,} changes {measured.altered} of "
                        f"{measured.documents} documents; no baseline may lose a byte"
                    )
                measured.save(path)

            trained = settings.vocab_sizes[-1] if contestant.is_nested else size
            made_from = digest(self.made_from(contestant, trained), size, settings.eval_digest())
            # Trained in a step of its own, before the clock of this one starts.
            self.model(contestant, size)
            name = f"measurements/{contestant.key}-{size}.json"
            yield size, Measurement.load(self.steps.do(name, made_from, make))

    def curve(self, contestant: Contestant) -> Curve:
        """How the training of one of ours went."""
        largest = self.settings.vocab_sizes[-1]
        model = self.model(contestant, largest)
        name = f"curves/{contestant.key}.json"
        made_from = self.made_from(contestant, largest)
        made = self.steps.do(name, made_from, lambda path: Curve.of(load(model)).save(path))
        return Curve.load(made)

    def sentence(self, contestants: list[Contestant]) -> dict[str, list[str]]:
        """The sentence through those that the main figures show, at the largest size."""
        largest = self.settings.vocab_sizes[-1]
        shown = [
            each
            for each in contestants
            if each.max_bytes is None
            and (
                each.baseline or each.transition or (each.supermerges and each.deletion == "bytes")
            )
        ]
        rows = (row_of(self.tokenizer(each, largest), self.settings.sentence) for each in shown)
        return {row.name: row.tokens() for row in rows}


def smaller(model: Tokenizer, size: int) -> Tokenizer:
    """The model at a size, or as it is where its corpus had no pairs for more."""
    return model.truncate(size) if size < model.vocab_size else model
