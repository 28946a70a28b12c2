"""The result of measuring one tokenizer on one corpus."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from superword.atomic_files import write_atomically
from superword.evaluation import metrics
from superword.evaluation.alignment import Alignment
from superword.evaluation.instability import Instability
from superword.evaluation.scripts import ScriptTotals
from superword.evaluation.sources import SourceTotals
from superword.json_files import read_json_object

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Measurement"]


@dataclass(frozen=True)
class Measurement:
    """The result of measuring one tokenizer on one corpus.

    Attributes:
        name: The tokenizer's name.
        pattern: The pattern whose pretokens its tokens were compared with.
        vocab_size: The size of its vocabulary.
        vocabulary_superwords: The number of superwords in the vocabulary.
        documents: The number of documents.
        bytes: The bytes of text.
        tokens: The number of tokens the text was encoded to.
        altered: Documents that do not decode to their own bytes; the alignment leaves them out.
        counts: How often each token of the vocabulary occurs, by id.
        alignment: How the tokens align with pretokens.
        instability: At how many prompt ends the encoding changes.
        sources: Totals by source, if the corpus names sources.
        scripts: Totals by script, the largest first; altered documents are left out.
    """

    name: str
    pattern: str
    vocab_size: int
    vocabulary_superwords: int
    documents: int
    bytes: int
    tokens: int
    altered: int
    counts: NDArray[np.int64] = field(compare=False)
    alignment: Alignment
    instability: Instability = field(default_factory=Instability)
    sources: dict[str, SourceTotals] = field(default_factory=dict)
    scripts: dict[str, ScriptTotals] = field(default_factory=dict)

    @property
    def bytes_per_token(self) -> float:
        """Mean number of bytes per token."""
        return metrics.bytes_per_token(self.bytes, self.tokens)

    def renyi_efficiency(self, alpha: float = 2.5) -> float:
        """Return the Rényi efficiency relative to the whole vocabulary."""
        return metrics.renyi_efficiency(self.counts, alpha, self.vocab_size)

    @property
    def vocabulary_used(self) -> float:
        """Share of the vocabulary that occurs at least once."""
        return metrics.vocabulary_used(self.counts, self.vocab_size)

    @property
    def single_share(self) -> float:
        """Share of pretokens that are one token or lie whole within one."""
        return divide(self.alignment.single + self.alignment.inside, self.alignment.pretokens)

    @property
    def kinds(self) -> dict[str, float]:
        """Share of each kind of token: byte, subword, word, superword."""
        counts = self.alignment
        kinds = {
            "byte": counts.byte_tokens,
            "subword": counts.subword_tokens,
            "word": counts.word_tokens,
            "superword": counts.superword_tokens,
        }
        return {kind: divide(count, sum(kinds.values())) for kind, count in kinds.items()}

    @property
    def gini(self) -> float | None:
        """Gini coefficient of tokens per byte over sources; None without sources."""
        costs = [each.tokens / each.bytes for each in self.sources.values() if each.bytes]
        return metrics.gini(costs) if costs else None

    def summary(self) -> dict[str, float | int | str | None]:
        """Return all metrics, by their names in tables and JSON."""
        counts = self.alignment
        kinds = self.kinds
        has_alignment = counts.pretokens > 0
        aligned: dict[str, float] = {
            "single_share": self.single_share,
            "single_share_superwords": divide(counts.inside, counts.pretokens),
            "words_per_token": divide(counts.words, sum(counts[6:])),
            "pieces_per_word": divide(counts.pieces, counts.words),
            "words_whole": divide(counts.whole_words, counts.words),
            **{f"{kind}_tokens": share for kind, share in kinds.items()},
        }
        stability = self.instability
        return {
            "name": self.name,
            "pattern": self.pattern,
            "vocab_size": self.vocab_size,
            "documents": self.documents,
            "bytes": self.bytes,
            "tokens": self.tokens,
            "altered": self.altered,
            "bytes_per_token": self.bytes_per_token,
            "renyi_efficiency": self.renyi_efficiency(),
            "shannon_efficiency": self.renyi_efficiency(1),
            "vocabulary_used": self.vocabulary_used,
            "vocabulary_superwords": divide(self.vocabulary_superwords, self.vocab_size),
            **{key: value if has_alignment else None for key, value in aligned.items()},
            "instability": divide(*stability[::-1]) if stability.boundaries else None,
            "gini": self.gini,
        }

    def as_json(self) -> dict[str, Any]:
        """Return all metrics and the totals by source and by script."""
        sources = {name: totals._asdict() for name, totals in sorted(self.sources.items())}
        scripts = {
            name: {**totals._asdict(), "bytes_per_token": totals.bytes_per_token}
            for name, totals in self.scripts.items()
        }
        return {**self.summary(), "sources": sources, "scripts": scripts}

    def _repr_html_(self) -> str:
        """Return tables as HTML for notebooks."""
        # It shows measurements, so it imports this module.
        from superword.evaluation.comparison import format_comparison_html

        return format_comparison_html([self])

    def save(self, path: Path) -> None:
        """Save the measurement to a file, atomically."""
        plain = {
            **asdict(self),
            "counts": self.counts.tolist(),
            "alignment": self.alignment._asdict(),
            "instability": self.instability._asdict(),
            "sources": {name: totals._asdict() for name, totals in self.sources.items()},
            "scripts": {name: totals._asdict() for name, totals in self.scripts.items()},
        }
        with write_atomically() as files:
            files.open(path).write(json.dumps(plain, ensure_ascii=False).encode())

    @classmethod
    def load(cls, path: Path) -> Measurement:
        """Load a measurement that `save` wrote."""
        plain = read_json_object(path)
        plain["counts"] = np.array(plain["counts"], np.int64)
        plain["alignment"] = Alignment(**plain["alignment"])
        plain["instability"] = Instability(**plain["instability"])
        sources = plain["sources"].items()
        plain["sources"] = {name: SourceTotals(**totals) for name, totals in sources}
        # Older files have no scripts.
        scripts = plain.get("scripts", {}).items()
        plain["scripts"] = {name: ScriptTotals(**totals) for name, totals in scripts}
        return cls(**plain)


def divide(part: float, whole: float) -> float:
    """Divide, with 0 for a whole of 0.

    Example:
        >>> divide(1, 4), divide(0, 0)
        (0.25, 0.0)
    """
    return part / whole if whole else 0.0
