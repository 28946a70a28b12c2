"""Changes of bytes per token by script, and which scripts a tokenizer loses on."""

from __future__ import annotations

from collections.abc import Sequence

from superword.evaluation.measurement import Measurement
from superword.evaluation.scripts import SCRIPTS

__all__ = [
    "describe_script_losses",
    "find_losing_scripts",
    "find_script_changes",
    "list_scripts",
    "most_bytes",
    "script_rate",
]


def list_scripts(measured: Sequence[Measurement]) -> list[str]:
    """Return the scripts of a corpus, the largest first, and `other` last."""
    found = {script for each in measured for script in each.scripts}
    order = sorted(found, key=lambda script: (-most_bytes(measured, script), script))
    return sorted(order, key=lambda script: script == SCRIPTS[-1])


def most_bytes(measured: Sequence[Measurement], script: str) -> int:
    """Return the bytes of a script; a tokenizer that alters documents counts fewer than there are.

    Example:
        >>> most_bytes([], "Latin")
        0
    """
    found = [each.scripts[script].bytes for each in measured if script in each.scripts]
    return max(found, default=0)


def script_rate(measured: Measurement, script: str) -> float | None:
    """Return the bytes per token of a script; None if it has no tokens."""
    found = measured.scripts.get(script)
    return found.bytes_per_token if found else None


def find_script_changes(measured: Measurement, first: Measurement) -> dict[str, float]:
    """Return the relative change in bytes per token of each script that both have."""
    changes = {}
    for script in list_scripts([first, measured]):
        rate, first_rate = script_rate(measured, script), script_rate(first, script)
        if rate and first_rate:
            changes[script] = round(rate / first_rate - 1, 12)
    return changes


def find_losing_scripts(measured: Measurement, first: Measurement) -> dict[str, float]:
    """Return the changes of the scripts with fewer bytes per token than with the first tokenizer.

    A change that rounds to 0.0% is no loss.

    Example:
        >>> import superword
        >>> from superword.evaluation import compare
        >>> english = superword.train(["to be, to be"], 258)
        >>> greek = superword.train(["να είναι να είναι"], 258)
        >>> both = compare({"english": english, "greek": greek}, ["to be", "να είναι"])
        >>> find_losing_scripts(both[1], both[0])
        {'Latin': -0.6}
    """
    changes = find_script_changes(measured, first)
    return {script: change for script, change in changes.items() if round(change, 3) < 0}


def describe_script_losses(measured: Sequence[Measurement]) -> list[str]:
    """Say of each tokenizer but the first which scripts it loses on against the first."""
    sentences = []
    for each in measured[1:]:
        changes = find_script_changes(each, measured[0])
        losing = find_losing_scripts(each, measured[0])
        if losing:
            listed = ", ".join(f"{script} ({change:+.1%})" for script, change in losing.items())
            sentences.append(f"Against {measured[0].name}, {each.name} loses on {listed}.")
        elif changes:
            sentences.append(f"Against {measured[0].name}, {each.name} loses on no script.")
    return sentences
