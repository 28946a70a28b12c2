"""How often the documents of a batch count, on an executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from superword import _core
from superword.corpus import CorpusOptions
from superword.errors import CorpusError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Weighting"]


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

    def find_weights(self, sources: pa.Array) -> list[int]:
        """Return the weight of each document, by its source.

        Raises:
            CorpusError: If a document has no source, or its source no weight.
        """
        weights = _core.Weights(self.named, self.column)
        find = weights.find_file if self.column is None else weights.find_source
        known: dict[object, int] = {}
        for source in sources.unique().to_pylist():
            if source is None:
                raise CorpusError("a row is null; fill it, or drop it", column=self.column)
            if source == "" and self.column is None:
                raise CorpusError("the rows are not of files; name a column as weight_column")
            known[source] = find(str(source))
        return [known[source] for source in sources.to_pylist()]
