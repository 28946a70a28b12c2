"""What was measured of one tokenizer on one corpus."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from superword.atomic_files import write_atomically
from superword.evaluation import metrics
from superword.evaluation.alignment import Alignment

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Instability", "Measurement", "Share", "ratio"]


class Share(NamedTuple):
    """What one source has of a corpus."""

    documents: int
    bytes: int
    tokens: int


class Instability(NamedTuple):
    """At how many of some pretoken boundaries the text before is not encoded as its beginning."""

    boundaries: int = 0
    unstable: int = 0


@dataclass(frozen=True)
class Measurement:
    """What was measured of one tokenizer on one corpus.

    Attributes:
        name: What the tokenizer is called.
        pattern: The pattern whose pretokens it was measured by.
        vocab_size: How many tokens its vocabulary has.
        vocabulary_superwords: How many of them are superwords.
        documents: How many documents the corpus has.
        bytes: How many bytes of text they have.
        tokens: How many tokens they became.
        altered: How many documents do not come back byte for byte; where there are any, the
            alignment covers the others only.
        counts: How often each token of the vocabulary occurs, by id.
        alignment: How the tokens lie on pretokens.
        instability: Whether the ends of prompts matter.
        sources: The documents by their source, where the corpus says it.
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
    sources: dict[str, Share] = field(default_factory=dict)

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return metrics.bytes_per_token(self.bytes, self.tokens)

    def renyi_efficiency(self, alpha: float = 2.5) -> float:
        """How even the distribution is, the whole vocabulary counting."""
        return metrics.renyi_efficiency(self.counts, alpha, self.vocab_size)

    @property
    def vocabulary_used(self) -> float:
        """The share of the vocabulary that occurs."""
        return metrics.vocabulary_used(self.counts, self.vocab_size)

    @property
    def single_share(self) -> float:
        """The share of pretokens that are one token, or lie whole within one."""
        return ratio(self.alignment.single + self.alignment.inside, self.alignment.pretokens)

    @property
    def kinds(self) -> dict[str, float]:
        """The share of each kind among the tokens."""
        counts = self.alignment
        kinds = {
            "byte": counts.byte_tokens,
            "subword": counts.subword_tokens,
            "word": counts.word_tokens,
            "superword": counts.superword_tokens,
        }
        return {kind: ratio(count, sum(kinds.values())) for kind, count in kinds.items()}

    @property
    def gini(self) -> float | None:
        """How unequal the sources' tokens for each byte are; None without sources."""
        costs = [share.tokens / share.bytes for share in self.sources.values() if share.bytes]
        return metrics.gini(costs) if costs else None

    def summary(self) -> dict[str, float | int | str | None]:
        """All numbers, by the names that tables and JSON have for them."""
        counts = self.alignment
        kinds = self.kinds
        has_alignment = counts.pretokens > 0
        aligned: dict[str, float] = {
            "single_share": self.single_share,
            "single_share_superwords": ratio(counts.inside, counts.pretokens),
            "words_per_token": ratio(counts.words, sum(counts[6:])),
            "fertility": ratio(counts.pieces, counts.words),
            "words_whole": ratio(counts.whole_words, counts.words),
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
            "vocabulary_superwords": ratio(self.vocabulary_superwords, self.vocab_size),
            **{key: value if has_alignment else None for key, value in aligned.items()},
            "instability": ratio(*stability[::-1]) if stability.boundaries else None,
            "gini": self.gini,
        }

    def as_json(self) -> dict[str, Any]:
        """The numbers, the sources, and the counts from the most frequent token on."""
        sources = {name: share._asdict() for name, share in sorted(self.sources.items())}
        return {**self.summary(), "sources": sources}

    def save(self, path: Path) -> None:
        """Write everything to a file, whole or not at all."""
        plain = {
            **asdict(self),
            "counts": self.counts.tolist(),
            "alignment": self.alignment._asdict(),
            "instability": self.instability._asdict(),
            "sources": {name: share._asdict() for name, share in self.sources.items()},
        }
        with write_atomically() as files:
            files.open(path).write(json.dumps(plain, ensure_ascii=False).encode())

    @classmethod
    def load(cls, path: Path) -> Measurement:
        """Read what `save` wrote."""
        plain = json.loads(path.read_text("utf-8"))
        plain["counts"] = np.array(plain["counts"], np.int64)
        plain["alignment"] = Alignment(**plain["alignment"])
        plain["instability"] = Instability(**plain["instability"])
        plain["sources"] = {name: Share(**share) for name, share in plain["sources"].items()}
        return cls(**plain)


def ratio(part: float, whole: float) -> float:
    """A share; 0 of nothing.

    Example:
        >>> ratio(1, 4), ratio(0, 0)
        (0.25, 0.0)
    """
    return part / whole if whole else 0.0
