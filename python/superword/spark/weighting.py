"""How often the documents of a batch count, on an executor."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from superword import _core
from superword.corpus import CorpusOptions
from superword.errors import CorpusError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WeightFinder", "Weighting"]


class Weighting(NamedTuple):
    """The weights by name, and the column that names the source; None stands for the file."""

    named: list[tuple[str, int]]
    column: str | None

    @staticmethod
    def from_options(options: CorpusOptions) -> Weighting | None:
        """Return the weighting; None if every document counts once."""
        if not options.has_weights:
            return None
        return Weighting(options.named_weights, options.weight_column)

    def find_unused(self, used: Collection[int]) -> str | None:
        """Return the first name that is not among those with these numbers. `*` may be unused."""
        unused = (name for at, (name, _) in enumerate(self.named) if name != "*" and at not in used)
        return next(unused, None)


class WeightFinder:
    """Finds the weights of the documents of a partition.

    Attributes:
        used: The numbers of the names that some document had.
    """

    def __init__(self, weighting: Weighting) -> None:
        self._weighting = weighting
        # Each name stands for its number, so that it is known which names were used.
        numbered = [(name, number) for number, (name, _) in enumerate(weighting.named)]
        weights = _core.Weights(numbered, weighting.column)
        self._find = weights.find_file if weighting.column is None else weights.find_source
        self.used: set[int] = set()

    def find_weights(self, sources: pa.Array) -> list[int]:
        """Return the weight of each document, by its source.

        Raises:
            CorpusError: If a document has no source, or its source no weight.
        """
        known = {source: self.find_weight(source) for source in sources.unique().to_pylist()}
        return [known[source] for source in sources.to_pylist()]

    def find_weight(self, source: object) -> int:
        """Return the weight of a source."""
        named, column = self._weighting
        if source is None:
            raise CorpusError("a row is null; fill it, or drop it", column=column)
        if source == "" and column is None:
            raise CorpusError("the rows are not of files; name a column as weight_column")
        found = self._find(str(source))
        if not named:
            return found  # The column holds the weight.
        self.used.add(found)
        return named[found][1]
