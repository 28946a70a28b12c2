"""A summary of a model: counts, superwords, deletions, as tables, JSON, Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from superword.printable import quote, readable
from superword.tables import (
    Column,
    Table,
    format_csv,
    format_latex,
    format_markdown,
    print_table,
)
from superword.tokenizer.config import TrainingConfig
from superword.tokenizer.rules import Rule, RuleKind
from superword.tokenizer.tokenizer import Tokenizer, Training

__all__ = [
    "Inspection",
    "Stretch",
    "Superword",
    "format_inspection_csv",
    "format_inspection_latex",
    "format_inspection_markdown",
    "inspect",
    "show",
]

KINDS: tuple[RuleKind, ...] = ("merge", "supermerge", "delete")
RULES_PER_STRETCH = 8192
BAR_WIDTH = 40


class Stretch(NamedTuple):
    """The kinds of some consecutive rules."""

    first: int
    last: int
    merges: int
    supermerges: int
    deletes: int

    @property
    def share(self) -> float:
        """The share of supermerges among the rules that join tokens."""
        joins = self.merges + self.supermerges
        return self.supermerges / joins if joins else 0.0


@dataclass(frozen=True, slots=True)
class Superword:
    """A superword of the vocabulary, with the largest count of the supermerges that make it."""

    id: int
    token: bytes
    count: int


class Inspection(NamedTuple):
    """A summary of a model."""

    parameters: TrainingConfig
    pattern: str
    training: Training
    fingerprint: str
    special_tokens: dict[str, int]
    added_tokens: dict[str, int]
    rules: dict[str, int]
    vocabulary: dict[str, int]
    removed_count: int
    lookup_count: int
    smallest_count: int | None
    stretches: list[Stretch]
    top_superwords: list[Superword]
    longest_superwords: list[Superword]
    deleted: list[bytes]
    deleted_count: int

    def as_json(self) -> dict[str, object]:
        """Return the summary as plain values; tokens as `readable` shows them."""

        def plain(superwords: list[Superword]) -> list[dict[str, object]]:
            return [{**asdict(s), "token": readable(s.token)} for s in superwords]

        return {
            **self._asdict(),
            "parameters": asdict(self.parameters),
            "training": self.training._asdict(),
            "stretches": [{**s._asdict(), "share": s.share} for s in self.stretches],
            "top_superwords": plain(self.top_superwords),
            "longest_superwords": plain(self.longest_superwords),
            "deleted": [readable(token) for token in self.deleted],
        }


def inspect(tok: Tokenizer, top: int = 20) -> Inspection:
    """Summarize a model.

    Args:
        tok: The tokenizer.
        top: Number of superwords and deleted tokens to list.
    """
    rules = list(tok.rules)
    kinds = Counter(rule.kind for rule in rules)
    counts = [rule.count for rule in rules if rule.count is not None]
    superwords = list(find_superwords(tok, rules))
    deleted = list(dict.fromkeys(rule.left for rule in rules if rule.kind == "delete"))
    gone = [token for token in deleted if tok._model.token_id(token) is None]
    single_bytes = sum(tok._model.token_id(bytes([byte])) is not None for byte in range(256))
    return Inspection(
        parameters=tok.parameters,
        pattern=tok.pattern,
        training=tok.training,
        fingerprint=tok.fingerprint,
        special_tokens=tok.special_tokens,
        added_tokens=tok.added_tokens,
        rules={name: kinds[name] for name in KINDS},
        vocabulary={
            "bytes": single_bytes,
            "merged": tok.vocab_size - single_bytes - len(superwords),
            "superwords": len(superwords),
            "total": tok.vocab_size,
        },
        removed_count=tok._model.removed_count,
        lookup_count=len(tok._model.lookup_tokens),
        smallest_count=min(counts, default=None),
        stretches=[
            count_kinds(rules[i : i + RULES_PER_STRETCH])
            for i in range(0, len(rules), RULES_PER_STRETCH)
        ],
        top_superwords=sorted(superwords, key=lambda s: (-s.count, s.id))[:top],
        longest_superwords=sorted(superwords, key=lambda s: (-len(s.token), s.id))[:top],
        deleted=gone[:top],
        deleted_count=len(gone),
    )


def find_superwords(tok: Tokenizer, rules: Iterable[Rule]) -> Iterable[Superword]:
    """Return the superwords of the vocabulary in the order in which they are first made.

    A pruned model may make superwords that are not in its vocabulary.
    """
    largest: dict[bytes, int] = {}
    for rule in rules:
        if rule.kind == "supermerge":
            largest[rule.token] = max(largest.get(rule.token, 0), rule.count or 0)
    known = ((tok._model.token_id(token), token, count) for token, count in largest.items())
    return (Superword(id, token, count) for id, token, count in known if id is not None)


def count_kinds(rules: Sequence[Rule]) -> Stretch:
    """Count the kinds of some consecutive rules."""
    kinds = Counter(rule.kind for rule in rules)
    counts = kinds["merge"], kinds["supermerge"], kinds["delete"]
    return Stretch(rules[0].index, rules[-1].index, *counts)


def show(found: Inspection, console: Console) -> None:
    """Print a summary as tables."""
    for at, table in enumerate(build_tables(found)):
        if at:
            console.print()
        print_table(table, console)
    if found.deleted:
        console.print(Text.assemble("\n", ("Deleted tokens\n", "bold"), list_deleted(found)))


def format_inspection_markdown(found: Inspection) -> str:
    """Format a summary in Markdown."""
    parts = list(map(format_markdown, build_tables(found)))
    if found.deleted:
        parts.append(f"Deleted tokens: {list_deleted(found)}\n")
    return "\n".join(parts)


def format_inspection_latex(found: Inspection) -> str:
    """Format a summary in LaTeX."""
    return "\n".join(map(format_latex, build_tables(found)))


def format_inspection_csv(found: Inspection) -> str:
    """Format a summary as CSV: a row per value, with the part of the summary it belongs to."""
    rows: list[tuple[str, str, object]] = []
    for part in ("parameters", "training", "rules", "vocabulary", "special_tokens"):
        values = found.as_json()[part]
        assert isinstance(values, dict)
        rows += [(part, name, value) for name, value in values.items()]
    rows += [("pattern", "", found.pattern), ("fingerprint", "", found.fingerprint)]
    rows.append(("removed_count", "", found.removed_count))
    rows.append(("lookup_count", "", found.lookup_count))
    rows.append(("smallest_count", "", found.smallest_count))
    rows += [
        ("supermerge_share", f"{part.first}-{part.last}", part.share) for part in found.stretches
    ]
    for name in ("top_superwords", "longest_superwords"):
        rows += [(name, readable(each.token), each.count) for each in getattr(found, name)]
    rows += [("deleted", readable(token), None) for token in found.deleted]
    return format_csv(["part", "name", "value"], rows)


def build_tables(found: Inspection) -> list[Table]:
    """Build the tables of a summary."""
    tables = [fact_table(found)]
    if any(stretch.supermerges for stretch in found.stretches):
        tables.append(share_table(found.stretches))
    for title, superwords in [
        ("Most frequent superwords", found.top_superwords),
        ("Longest superwords", found.longest_superwords),
    ]:
        if superwords:
            tables.append(superword_table(title, superwords))
    return tables


def list_deleted(found: Inspection) -> str:
    """Return the deleted tokens in a row, and how many are left out."""
    names = "  ".join(quote(token) for token in found.deleted)
    more = found.deleted_count - len(found.deleted)
    return names + (f"  and {more:,} more" if more else "")


def fact_table(found: Inspection) -> Table:
    """Return a table of the model's size, configuration and training."""
    parameters = found.parameters
    facts = {
        "tokens": "{total:,}: {bytes} bytes, {merged:,} merged, {superwords:,} superwords".format(
            **found.vocabulary
        ),
        "removed tokens": f"{found.removed_count:,}, by pruning" if found.removed_count else "-",
        "looked-up tokens": f"{found.lookup_count:,}" if found.lookup_count else "-",
        "special tokens": ", ".join(
            f"{readable(text.encode())} ({id})" for text, id in found.special_tokens.items()
        )
        or "-",
        "added tokens": ", ".join(f"{t!r} ({id})" for t, id in found.added_tokens.items()) or "-",
        "rules": "{merge:,} merges, {supermerge:,} supermerges, {delete:,} deletes".format(
            **found.rules
        ),
        "smallest count": "-" if found.smallest_count is None else f"{found.smallest_count:,}",
        "pattern": found.pattern,
        "eligible": parameters.eligible,
        "settings": f"vocab_size {parameters.vocab_size:,}, supermerges "
        f"{'on' if parameters.supermerges else 'off'}, deletion {parameters.deletion or 'none'}, "
        f"tau {parameters.tau}, min_count {parameters.min_count}",
        "limits": describe_limits(parameters) or "-",
        "second stage": "-"
        if parameters.transition is None
        else f"from {parameters.transition:,} tokens on, after {parameters.pattern}",
        "trained on": "{:,} documents, {:,} bytes, {:,} pretokens, {:,} of them distinct".format(
            *found.training
        ),
        "fingerprint": found.fingerprint,
    }
    columns = [Column("", is_number=False), Column("", is_number=False)]
    return Table(columns, [[Text(name, "bold"), fact] for name, fact in facts.items()])


def describe_limits(parameters: TrainingConfig) -> str:
    """Return the limits of training: `max_superwords 0.05 (6,553), max_words 4`."""
    limits = []
    if isinstance(cap := parameters.max_superwords, float):
        limits.append(f"max_superwords {cap} ({int(cap * parameters.vocab_size):,})")
    elif cap is not None:
        limits.append(f"max_superwords {cap:,}")
    for name in ("max_words", "max_token_bytes", "forbid"):
        if (limit := getattr(parameters, name)) is not None:
            limits.append(f"{name} {limit}")
    return ", ".join(limits)


def share_table(stretches: list[Stretch]) -> Table:
    """Return a table with a bar for each stretch of rules."""
    rows = [
        [
            f"rules {part.first:,} to {part.last:,}",
            f"{part.share:.1%}",
            "█" * round(part.share * BAR_WIDTH),
        ]
        for part in stretches
    ]
    name = "Share of supermerges along training"
    return Table([Column(name, is_number=False), Column(), Column("", is_number=False)], rows)


def superword_table(title: str, superwords: list[Superword]) -> Table:
    """Return a table of superwords with their counts and ids."""
    rows = [[quote(each.token), f"{each.count:,}", f"{each.id}"] for each in superwords]
    return Table([Column(title, is_number=False), Column("count"), Column("id")], rows)
