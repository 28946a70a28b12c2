"""The settings of `superword reproduce`."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from superword.atomic_files import local_path
from superword.corpus import find_sources, reject_inputs
from superword.patterns import resolve_pattern
from superword.reproduction import paper
from superword.reproduction.baselines import BASELINES, Baseline
from superword.reproduction.lineup import Cap, Variations
from superword.reproduction.own_metrics import load_metrics
from superword.reproduction.steps import digest
from superword.sizes import parse_size
from superword.tokenizer import TrainingConfig, parse_cap

__all__ = ["ReproductionSettings", "format_toml", "list_outputs", "read_settings"]

# The settings that may be one value or a list.
LISTS = {
    *("train", "eval", "vocab_sizes", "baselines", "tau", "min_count", "max_superwords"),
    *("patterns", "tokenizers", "metrics"),
}


@dataclass(frozen=True)
class ReproductionSettings:
    """What to train and measure. A TOML configuration file has the same names.

    Attributes:
        train: The training corpus: paths, globs, folders.
        eval: The evaluation corpus.
        out: The output folder; `output` is another name for it.
        vocab_sizes: The vocabulary sizes.
        baselines: The baselines to train, of `bpe`, `wordpiece` and `unigram`.
        baseline_bytes: Limits on the training text of slow baselines, by name, as bytes or as
            sizes such as "5MB". BoundlessBPE is also trained on the same text.
        transition: The share of the vocabulary that SuperBPE learns within pretokens; 0 leaves
            SuperBPE out.
        tau: Values of tau to try beside the paper's 0.9, with BoundlessBPE (4o).
        min_count: Values of min_count to try, likewise.
        max_superwords: Caps on superwords to try, likewise; `superword.train`'s default, unless
            given. The paper has no cap.
        patterns: Patterns to train BPE and BoundlessBPE with, beside the paper's two.
        tokenizers: Further tokenizers to measure: what `superword.evaluation.open_tokenizer` opens.
        metrics: Metrics of your own: functions as `module:function` or `file.py:function`.
        train_bytes: The bytes of the training corpus to use; all by default.
        eval_bytes: The bytes of the evaluation corpus to use; all by default.
        column: The column that holds the document.
        source: The column that names the source; `source` by default, where there is one.
        sources: Groups of sources for the report, each with globs of source names.
        sentence: The text that the report shows as each tokenizer splits it.
        threads: The number of threads; all cores by default.
        seed: Seed of the sample of prompts.
    """

    train: tuple[str, ...]
    eval: tuple[str, ...]
    out: Path
    vocab_sizes: tuple[int, ...] = paper.SIZES
    baselines: tuple[Baseline, ...] = BASELINES
    baseline_bytes: dict[str, int] = field(default_factory=dict)
    transition: float = 0.8
    tau: tuple[float, ...] = ()
    min_count: tuple[int, ...] = ()
    max_superwords: tuple[Cap, ...] = (TrainingConfig.max_superwords,)
    patterns: tuple[str, ...] = ()
    tokenizers: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    train_bytes: int | None = None
    eval_bytes: int | None = None
    column: str = "text"
    source: str | None = None
    sources: dict[str, list[str]] = field(default_factory=dict)
    sentence: str = "To be or not to be"
    threads: int | None = None
    seed: int = 0

    @property
    def variations(self) -> Variations:
        """The values of parameters to try beside the paper's."""
        return Variations(self.tau, self.min_count, self.patterns, self.max_superwords)

    def train_digest(self, max_bytes: int | None) -> str:
        """Return a digest of the training text."""
        return digest(list_files(self.train), self.column, max_bytes or self.train_bytes)

    def eval_digest(self) -> str:
        """Return a digest of the evaluation text and of how it is measured."""
        columns = self.column, self.source or "source"
        return digest(list_files(self.eval), columns, self.eval_bytes, self.seed)


def format_toml(settings: ReproductionSettings) -> str:
    """Return the settings as a configuration file, defaults included."""
    lines, tables = [], []
    for each in fields(settings):
        value = getattr(settings, each.name)
        if value is None or value == {} or each.name == "threads":
            continue
        if isinstance(value, dict):
            items = (f"{quote(name)} = {quote(item)}" for name, item in value.items())
            tables.append("\n".join([f"\n[{each.name}]", *items]))
        else:
            lines.append(f"{each.name} = {quote(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def quote(value: Any) -> str:
    """Return a value as TOML.

    Example:
        >>> quote((1, 0.5, None)), quote(Path("a"))
        ('[1, 0.5, "none"]', '"a"')
    """
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(quote, value))}]"
    if value is None:
        return '"none"'
    if isinstance(value, Path):
        value = str(value)
    return json.dumps(value, ensure_ascii=False)


def list_outputs(folder: Path) -> list[Path]:
    """Return the files in the output folder that may be written."""
    names = (
        *("steps.json", "claims.json", "capped-claims.json", "results.json", "report.html"),
        "citations.bib",
    )
    folders = ("models", "measurements", "curves", "figures", "tables")
    inside = [path for name in folders for path in (folder / name).rglob("*") if path.is_file()]
    return [*(folder / name for name in names), *inside]


def list_files(paths: Iterable[str]) -> list[tuple[str, int]]:
    """List files with their sizes; -1 for those without one, such as URLs."""
    sources = find_sources(paths)
    is_file = os.path.isfile
    return [(s.name, os.path.getsize(s.name) if is_file(s.name) else -1) for s in sources]


def read_settings(config: Path | None, given: dict[str, Any]) -> ReproductionSettings:
    """Read settings from a configuration file and the command line.

    Args:
        config: The configuration file, if any.
        given: Settings by name, which override the file; None and empty lists are ignored.

    Raises:
        ValueError: If the file has an unknown setting, or a setting is missing or invalid.
    """
    found = {} if config is None else read_config(config)
    found |= {name: value for name, value in given.items() if value not in (None, [], ())}
    for name in ("train", "eval", "out"):
        if name not in found:
            shown = "output" if name == "out" else name
            raise ValueError(f"pass --{shown}, or set {shown} in the configuration file")
    found["out"] = local_path(found["out"])
    if config is not None:
        reject_inputs(list_outputs(found["out"]), files=[config])
    for name in LISTS & found.keys():
        value = found[name]
        found[name] = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    for name in ("train_bytes", "eval_bytes"):
        if found.get(name) is not None:
            found[name] = parse_limit(name, found[name])
    limits = found.get("baseline_bytes", {})
    found["baseline_bytes"] = {
        name: parse_limit(f"baseline_bytes of {name}", limit) for name, limit in limits.items()
    }
    if "max_superwords" in found:
        caps = found["max_superwords"]
        found["max_superwords"] = tuple(
            parse_cap(cap) if isinstance(cap, str) else cap for cap in caps
        )
    settings = ReproductionSettings(**found)
    check_settings(settings)
    patterns = tuple(map(resolve_pattern, settings.patterns))
    return replace(
        settings, vocab_sizes=tuple(sorted(set(settings.vocab_sizes))), patterns=patterns
    )


def read_config(config: Path) -> dict[str, Any]:
    """Read the settings in a TOML file.

    Raises:
        ValueError: If it is not TOML, or has an unknown setting.
    """
    known = {each.name for each in fields(ReproductionSettings)}
    try:
        loaded = tomllib.loads(config.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{config}: not TOML: {error}") from None
    found = {name.replace("-", "_"): value for name, value in loaded.items()}
    if "output" in found and "out" not in found:
        found["out"] = found.pop("output")
    if unknown := sorted(set(found) - known):
        names = ", ".join(sorted(known))
        raise ValueError(f"{config}: unknown setting {', '.join(unknown)}; choose from {names}")
    return found


def check_settings(settings: ReproductionSettings) -> None:
    """Reject values that make no sense, before anything is trained."""
    sizes = settings.vocab_sizes
    if not sizes or not all(type(size) is int and 257 <= size < 2**31 for size in sizes):
        raise ValueError(f"vocabulary sizes must be at least 257, not {sizes}")
    unknown = [
        name for name in (*settings.baselines, *settings.baseline_bytes) if name not in BASELINES
    ]
    if unknown:
        raise ValueError(f"unknown baseline {unknown[0]}; choose from {', '.join(BASELINES)}")
    if not 0 <= settings.transition < 1:
        raise ValueError(f"transition must be at least 0 and below 1, not {settings.transition}")
    for name in ("patterns", "tokenizers", "metrics"):
        for value in getattr(settings, name):
            if not isinstance(value, str):
                raise ValueError(f"{name} must be a list of texts, and has {value!r}")
    for tau in settings.tau:
        if type(tau) not in (int, float):
            raise ValueError(f"tau must be a list of numbers, and has {tau!r}")
    # The configuration of training rejects what it cannot take.
    for name in ("tau", "min_count", "max_superwords"):
        for value in getattr(settings, name):
            TrainingConfig(**{name: value})
    for pattern in settings.patterns:
        TrainingConfig(pattern=pattern)
    load_metrics(settings.metrics)


def parse_limit(name: str, size: int | str) -> int:
    """Return a limit on text in bytes; an error names the setting."""
    try:
        limit = parse_size(size)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if limit < 1:
        raise ValueError(f"{name} must be at least 1, not {size!r}")
    return limit
