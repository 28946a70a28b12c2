"""The pattern of the pre-tokenizer of a `tokenizer.json`."""

from __future__ import annotations

from typing import Any

from superword.errors import ModelFormatError
from superword.patterns import compile_pattern, join_patterns, quote_regex

__all__ = ["read_pattern"]

Json = dict[str, Any]


def read_pattern(described: Json | None) -> str:
    """Return the pattern of a pre-tokenizer.

    Example:
        >>> read_pattern({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True})
        'gpt2'
    """
    if described is None:
        raise ModelFormatError("it is not byte-level BPE: it has no pre-tokenizer")
    is_sequence = described["type"] == "Sequence"
    steps = described["pretokenizers"] if is_sequence else [described]
    kinds = [step["type"] for step in steps]
    if kinds[-1:] != ["ByteLevel"] or not {*kinds[:-1]} <= {"Split", "Digits"}:
        raise ModelFormatError(
            f"its pre-tokenizer is {' and '.join(kinds) or 'empty'}; supported are ByteLevel, and "
            "Splits and ByteLevel"
        )
    if steps[-1].get("add_prefix_space", True):
        raise ModelFormatError("its pre-tokenizer puts a space before texts (add_prefix_space)")
    regexes = [read_split(step) for step in steps[:-1]]
    if steps[-1].get("use_regex", True):
        regexes.append("gpt2")
    return join_patterns(regexes) if regexes else r"(?s).+"


def read_split(step: Json) -> str:
    r"""Return the regex of one step of a pre-tokenizer.

    Example:
        >>> read_split({"type": "Digits", "individual_digits": True})
        '\\p{N}'
    """
    if step["type"] == "Digits":
        # Rust's is_numeric: the general categories Nd, Nl and No.
        return r"\p{N}" if step["individual_digits"] else r"\p{N}+"
    regex = step["pattern"].get("Regex")
    if not isinstance(regex, str):
        raise ModelFormatError("its pre-tokenizer splits by a string, not by a regex")
    behavior, is_inverted = step["behavior"], step.get("invert", False)
    # Removing unmatched text removes nothing if the regex matches everything.
    keeps_all = behavior == "Removed" and is_inverted and compile_pattern(regex).covers_all
    if (behavior, is_inverted) != ("Isolated", False) and not keeps_all:
        how = f"{behavior}, inverted" if is_inverted else behavior
        raise ModelFormatError(f"its pre-tokenizer splits with the behavior {how}, not Isolated")
    return quote_regex(regex)
