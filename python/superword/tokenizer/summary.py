"""A summary of a tokenizer as HTML for notebooks."""

from __future__ import annotations

from superword.html_page import escape, format_html
from superword.patterns import find_pattern_name
from superword.printable import count_noun
from superword.tokenizer.inspection import Inspection, fact_table, inspect
from superword.tokenizer.token_html import build_note, build_tokens
from superword.tokenizer.tokenizer import Tokenizer

__all__ = ["build_summary", "describe_tokenizer"]

SHOWN_SUPERWORDS = 24


def build_summary(tok: Tokenizer) -> str:
    """Build a summary: what the tokenizer is, its superwords, and all settings, closed at first."""
    found, superwords = inspect(tok, 0), tok._describer.describe_superwords()
    longest = sorted(superwords, key=lambda each: (-len(each.token), each.id))
    parts = [f"<strong>Tokenizer</strong> {escape(describe(found, len(superwords)))}"]
    for title, tokens in [
        ("Most frequent superwords", superwords),
        ("Longest superwords", longest),
    ]:
        if tokens:
            parts.append(build_note(title) + build_tokens(tokens[:SHOWN_SUPERWORDS]))
    parts.append(
        '<details><summary style="font-size: 13px">Settings</summary>'
        f"{format_html(fact_table(found))}</details>"
    )
    return f"<div>{''.join(parts)}</div>"


def describe_tokenizer(tok: Tokenizer) -> str:
    """Return the kind of a tokenizer, its size and its pattern.

    Example:
        >>> import superword
        >>> describe_tokenizer(superword.train(["to be or to be", "to be"], 259))
        'BoundlessBPE · 259 tokens, 1 of them superwords · pattern gpt4o'
    """
    return describe(inspect(tok, 0), len(tok._describer.describe_superwords()))


def describe(found: Inspection, superwords: int) -> str:
    """Return the kind of a model, its size and its pattern."""
    special = len(found.special_tokens)
    facts = [
        name_kind(found),
        f"{found.vocabulary['total']:,} tokens, {superwords:,} of them superwords",
        f"pattern {find_pattern_name(found.parameters.pattern)}",
    ]
    facts += [count_noun(special, "special token")] * bool(special)
    facts += [f"{count_noun(found.removed_count, 'token')} removed"] * bool(found.removed_count)
    return " · ".join(facts)


def name_kind(found: Inspection) -> str:
    """Return the name of the kind of model, by its rules and its stages."""
    if found.parameters.transition is not None:
        return "SuperBPE"
    if found.rules["supermerge"]:
        return "BoundlessBPE"
    return "PickyBPE" if found.rules["delete"] else "BPE"
