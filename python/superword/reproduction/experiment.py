"""Train and measure the lineup, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from os.path import exists, getsize, isfile
from pathlib import Path
from typing import Any, cast

from superword.atomic_files import write_atomically
from superword.corpus import RawPath, reject_inputs
from superword.errors import SuperwordError
from superword.evaluation import (
    AnyTokenizer,
    HuggingFace,
    Measurement,
    Ours,
    evaluate,
    import_extra,
    name_apart,
    open_tokenizer,
)
from superword.printable import readable
from superword.reproduction.baselines import make_wordpiece, train_baseline, truncate_baseline
from superword.reproduction.lineup import TokenizerSpec, build_lineup
from superword.reproduction.own_metrics import OwnMetric, OwnValue, load_metrics
from superword.reproduction.results import Results, TrainingCurve
from superword.reproduction.settings import ReproductionSettings, list_outputs
from superword.reproduction.steps import Steps, digest
from superword.tokenizer import Deletion, load
from superword.training import ProgressCallback, train

__all__ = ["reproduce"]

# Part of every digest: raise it when training or measuring changes its meaning.
VERSION = 2
# The version of the measurements alone: since 2, they have totals by script.
MEASURED_VERSION = 2


def reproduce(
    settings: ReproductionSettings,
    *,
    log: Callable[[str], object] = lambda line: None,
    progress: bool | ProgressCallback = False,
) -> Results:
    """Train and measure the lineup; reuse the files of an earlier run.

    Args:
        settings: What to train and measure.
        log: Called with "step n of m" and the name of a file before it is built. Steps whose files
            are up to date are counted and not logged.
        progress: True for progress bars on a terminal, or a callback.

    Raises:
        SuperwordError: If a baseline loses bytes, or a library is missing.
        CorpusError: If a corpus cannot be read.
        ValueError: If a file of a corpus would be written to.
    """
    files = [path for path in settings.tokenizers if exists(path)]
    corpus = [*settings.train, *settings.eval]
    reject_inputs(list_outputs(settings.out), corpus=corpus, files=files)
    # Before anything is trained, what cannot be opened is an error.
    others = open_others(settings.tokenizers)
    own_metrics = load_metrics(settings.metrics)
    transition = settings.transition or None
    lineup = build_lineup(
        settings.baselines, settings.baseline_bytes, transition, settings.variations
    )
    steps = Steps(settings.out, log, list_steps(lineup, settings))
    experiment = Experiment(settings, steps, progress)
    measured = {}
    for spec in lineup:
        for size, each in experiment.measure(spec):
            measured[spec.key, size] = each
    measured_others = [
        (tok, experiment.measure_other(path, tok))
        for path, tok in zip(settings.tokenizers, others, strict=True)
    ]
    return Results(
        lineup={spec.key: spec for spec in lineup},
        sizes=settings.vocab_sizes,
        measured=measured,
        curves={spec.key: experiment.build_curve(spec) for spec in lineup if has_curve(spec)},
        sentence=(settings.sentence, experiment.tokenize_sentence(lineup)),
        others=[each for _, each in measured_others],
        own_metrics=experiment.apply_metrics(own_metrics, lineup, measured, measured_others),
    )


def open_others(paths: Sequence[str]) -> list[AnyTokenizer]:
    """Open the further tokenizers, and tell those of one name apart."""
    opened = [open_tokenizer(path) for path in paths]
    for tok, name in zip(opened, name_apart(paths), strict=True):
        tok.name = name
    return opened


def list_steps(lineup: Sequence[TokenizerSpec], settings: ReproductionSettings) -> list[str]:
    """List the files of a reproduction in the order in which they are built."""
    names = []
    sizes = settings.vocab_sizes
    for spec in lineup:
        for size in sizes:
            names.append(name_model(spec, trained_size(spec, size, sizes[-1])))
            names.append(name_measurement(spec, size))
    names += map(name_other, settings.tokenizers)
    names += [name_curve(spec) for spec in lineup if has_curve(spec)]
    return list(dict.fromkeys(names))


def has_curve(spec: TokenizerSpec) -> bool:
    """Return whether a tokenizer's training curve is shown: superword's nested models have one."""
    return spec.baseline is None and spec.is_nested


def trained_size(spec: TokenizerSpec, size: int, largest: int) -> int:
    """Return the size to train at: the largest if smaller vocabularies are its prefixes."""
    return largest if spec.is_nested else size


def name_model(spec: TokenizerSpec, size: int) -> str:
    """Return the file of a model that is trained at a size."""
    return f"models/{spec.key}-{size}.json"


def name_measurement(spec: TokenizerSpec, size: int) -> str:
    """Return the file of a measurement."""
    return f"measurements/{spec.key}-{size}.json"


def name_other(path: str) -> str:
    """Return the file of the measurement of a further tokenizer."""
    return f"measurements/tokenizer-{digest(path)}.json"


def name_curve(spec: TokenizerSpec) -> str:
    """Return the file of a training curve."""
    return f"curves/{spec.key}.json"


class Experiment:
    """The steps of one reproduction."""

    def __init__(
        self, settings: ReproductionSettings, steps: Steps, progress: bool | ProgressCallback
    ) -> None:
        self.settings = settings
        self.steps = steps
        self.progress = progress
        self.largest = settings.vocab_sizes[-1]

    def model_digest(self, spec: TokenizerSpec, size: int) -> str:
        """Return a digest of everything that decides a model."""
        text = self.settings.train_digest(spec.max_bytes)
        parameters = {**asdict(spec), "label": None, "is_variation": None}
        return digest(VERSION, parameters, trained_size(spec, size, self.largest), text)

    def build_model(self, spec: TokenizerSpec, size: int) -> Path:
        """Train a model unless its file is up to date."""
        trained = trained_size(spec, size, self.largest)
        name = name_model(spec, trained)
        inputs = self.model_digest(spec, size)
        return self.steps.build(name, inputs, lambda path: self.train(spec, trained, path))

    def train(self, spec: TokenizerSpec, size: int, path: Path) -> None:
        """Train a model and save it."""
        settings = self.settings
        options: dict[str, Any] = {
            "pattern": spec.pattern,
            "column": settings.column,
            "max_bytes": spec.max_bytes or settings.train_bytes,
            "progress": self.progress,
        }
        corpus = [RawPath(name) for name in settings.train]
        if spec.baseline is not None:
            bpe = self.find_bpe(spec)
            if bpe is not None:
                baseline = make_wordpiece(self.load_baseline(bpe, size))
            else:
                baseline = train_baseline(spec.baseline, corpus, size, **options)
            with write_atomically() as files:
                files.open(path).write(baseline.to_str(pretty=True).encode())
            return
        if spec.transition is not None:
            options["transition"] = max(256, int(size * spec.transition))
        with warnings.catch_warnings():
            # A small corpus has too few pairs for a large vocabulary; the report shows its size.
            warnings.filterwarnings("ignore", "the corpus has pairs for")
            model = train(
                corpus,
                size,
                supermerges=spec.supermerges,
                deletion=cast(Deletion, spec.deletion),
                tau=spec.tau,
                min_count=spec.min_count,
                max_superwords=spec.max_superwords,
                threads=settings.threads,
                **options,
            )
        model.save(path)

    def find_bpe(self, spec: TokenizerSpec) -> TokenizerSpec | None:
        """Return the BPE whose vocabulary a WordPiece has: the one trained on the same text."""
        settings = self.settings
        if spec.baseline != "wordpiece" or "bpe" not in settings.baselines:
            return None
        [bpe] = build_lineup(["bpe"], settings.baseline_bytes)[:1]
        return bpe if bpe.max_bytes == spec.max_bytes else None

    def load_baseline(self, spec: TokenizerSpec, size: int) -> Any:
        """Load a trained baseline."""
        path = self.build_model(spec, size)
        return import_extra("tokenizers").Tokenizer.from_file(str(path))

    def open_tokenizer(self, spec: TokenizerSpec, size: int) -> AnyTokenizer:
        """Open the trained tokenizer, truncated to a size."""
        if spec.baseline is None:
            model = load(self.build_model(spec, size))
            # A small corpus may have led to a smaller vocabulary than asked for.
            return Ours(model.truncate(size) if size < model.vocab_size else model, spec.label)
        baseline = self.load_baseline(spec, size)
        if spec.is_nested and size < baseline.get_vocab_size():
            baseline = truncate_baseline(baseline, size)
        return HuggingFace(baseline, spec.label)

    def measure(self, spec: TokenizerSpec) -> Iterator[tuple[int, Measurement]]:
        """Measure a tokenizer at every size, or load the measurements."""
        for size in self.settings.vocab_sizes:

            def write(path: Path, size: int = size) -> None:
                measured = self.evaluate(self.open_tokenizer(spec, size))
                if measured.altered:
                    raise SuperwordError(
                        f"{spec.label} at {size:,} alters {measured.altered} of "
                        f"{measured.documents} documents; a baseline must not lose bytes"
                    )
                measured.save(path)

            inputs = self.measurement_digest(spec.label, self.model_digest(spec, size), size)
            # Train in a separate step, before this one is timed.
            self.build_model(spec, size)
            path = self.steps.build(name_measurement(spec, size), inputs, write)
            yield size, Measurement.load(path)

    def measure_other(self, path: str, tok: AnyTokenizer) -> Measurement:
        """Measure a further tokenizer, or load the measurement."""
        size = getsize(path) if isfile(path) else -1
        inputs = self.measurement_digest(tok.name, path, size)
        name = name_other(path)
        measured = self.steps.build(name, inputs, lambda file: self.evaluate(tok).save(file))
        return Measurement.load(measured)

    def measurement_digest(self, *parts: object) -> str:
        """Return a digest of a tokenizer, of the evaluation text and of how it is measured."""
        return digest(parts, self.settings.eval_digest(), MEASURED_VERSION)

    def evaluate(self, tok: AnyTokenizer) -> Measurement:
        """Measure a tokenizer on the evaluation corpus."""
        settings = self.settings
        return evaluate(
            tok,
            [RawPath(name) for name in settings.eval],
            seed=settings.seed,
            column=settings.column,
            source=settings.source,
            max_bytes=settings.eval_bytes,
            threads=settings.threads,
            progress=self.progress,
        )

    def apply_metrics(
        self,
        metrics: Sequence[OwnMetric],
        lineup: Sequence[TokenizerSpec],
        measured: dict[tuple[str, int], Measurement],
        others: Sequence[tuple[AnyTokenizer, Measurement]],
    ) -> dict[str, list[OwnValue]]:
        """Compute the user's own metrics, which no step keeps: their code may have changed."""
        values: dict[str, list[OwnValue]] = {metric.name: [] for metric in metrics}
        if not metrics:
            return values
        for spec in lineup:
            for size in self.settings.vocab_sizes:
                tok = self.open_tokenizer(spec, size)
                for metric in metrics:
                    value = metric.measure(spec.label, size, measured[spec.key, size], tok)
                    values[metric.name].append(value)
        for tok, each in others:
            for metric in metrics:
                values[metric.name].append(metric.measure(tok.name, tok.vocab_size, each, tok))
        return values

    def build_curve(self, spec: TokenizerSpec) -> TrainingCurve:
        """Extract the training curve of a superword model, or load it."""
        model = self.build_model(spec, self.largest)
        path = self.steps.build(
            name_curve(spec),
            self.model_digest(spec, self.largest),
            lambda path: TrainingCurve.from_model(load(model)).save(path),
        )
        return TrainingCurve.load(path)

    def tokenize_sentence(self, lineup: list[TokenizerSpec]) -> dict[str, list[str]]:
        """Tokenize the sentence with the tokenizers of the main figures, at the largest size."""
        tokens = {}
        for spec in lineup:
            is_boundless = spec.supermerges and spec.deletion == "bytes"
            if spec.max_bytes is None and (spec.baseline or spec.transition or is_boundless):
                tok = self.open_tokenizer(spec, self.largest)
                tokens[spec.label] = list(map(readable, tok.tokenize(self.settings.sentence)))
        return tokens
