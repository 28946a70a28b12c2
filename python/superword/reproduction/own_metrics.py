"""Metrics of the user's own: functions in a module or in a file."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Sequence
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from superword.errors import SuperwordError
from superword.evaluation import AnyTokenizer, Measurement

__all__ = ["OwnMetric", "OwnValue", "load_metrics"]


class OwnValue(NamedTuple):
    """The value of a metric for a tokenizer."""

    tokenizer: str
    vocab_size: int
    value: float


class OwnMetric(NamedTuple):
    """A metric: the function's name, and the function of a measurement and its tokenizer."""

    name: str
    function: Callable[[Measurement, AnyTokenizer], float]

    def measure(
        self, label: str, vocab_size: int, measured: Measurement, tok: AnyTokenizer
    ) -> OwnValue:
        """Call the function.

        Raises:
            SuperwordError: If the function fails, or does not return a number.
        """
        where = f"the metric {self.name} of {label} at {vocab_size:,}"
        try:
            value = self.function(measured, tok)
        except Exception as error:
            raise SuperwordError(f"{where} failed: {type(error).__name__}: {error}") from error
        if not isinstance(value, Real) or not math.isfinite(value):
            raise SuperwordError(f"{where} must be a finite number, not {value!r}")
        return OwnValue(label, vocab_size, float(value))


def load_metrics(entries: Sequence[str]) -> list[OwnMetric]:
    """Import functions that are named as `module:function` or `file.py:function`.

    Raises:
        ValueError: If there is no such function, or two have the same name.

    Example:
        >>> [metric.name for metric in load_metrics(["math:hypot"])]
        ['hypot']
        >>> load_metrics(["math"])
        Traceback (most recent call last):
        ValueError: a metric must be like module:function or file.py:function, not 'math'
    """
    metrics: list[OwnMetric] = []
    for entry in entries:
        module, _, name = entry.rpartition(":")
        if not module or not name.isidentifier():
            raise ValueError(
                f"a metric must be like module:function or file.py:function, not {entry!r}"
            )
        function = getattr(import_module(module), name, None)
        if not callable(function):
            raise ValueError(f"{module} has no function {name}, which metrics asks for")
        if name in [metric.name for metric in metrics]:
            raise ValueError(f"two metrics are named {name}; give each its own name")
        metrics.append(OwnMetric(name, function))
    return metrics


def import_module(name: str) -> ModuleType:
    """Import a module by its name or from its file.

    Raises:
        ValueError: If that fails.
    """
    try:
        if not name.endswith(".py"):
            return importlib.import_module(name)
        spec = importlib.util.spec_from_file_location(Path(name).stem, name)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"cannot import {name}: {type(error).__name__}: {error}") from error
    return module
