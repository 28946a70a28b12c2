"""Whether a text is encoded alike when it ends earlier, as prompts do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from random import Random

import numpy as np

from superword.evaluation.alignment import pretoken_ends
from superword.evaluation.measurement import Instability
from superword.evaluation.tokenizers import AnyTokenizer
from superword.training.progress import ProgressCallback

__all__ = ["DOCUMENTS", "LENGTH", "measure_instability"]

# How many documents, how many characters of each, and how many places in each.
DOCUMENTS = 1000
LENGTH = 4096
PLACES = 16
# How many documents are encoded at a time.
AT_ONCE = 100


def measure_instability(
    tok: AnyTokenizer,
    pattern: str,
    texts: Sequence[str],
    seed: int = 0,
    threads: int = 1,
    tell: ProgressCallback | None = None,
) -> Instability:
    """Count at which pretoken boundaries of texts a prompt is not encoded as the text's beginning.

    A boundary is unstable when `encode(text[:boundary])` is not how `encode(text)` begins, as when
    a superword goes across it. At most 16 boundaries of each text are tried.

    Example:
        >>> import superword
        >>> from superword.evaluation.tokenizers import Ours
        >>> tok = Ours(superword.train(["to be or to be", "to be"], 259))
        >>> measure_instability(tok, "gpt4o", ["to be or"])  # to| be| or
        Instability(boundaries=2, unstable=1)
    """
    random = Random(seed)
    boundaries = unstable = 0
    for start in range(0, len(texts), AT_ONCE):
        if tell:
            tell("instability", start, len(texts))
        families = [
            [text, *prompts(text, pattern, random)] for text in texts[start : start + AT_ONCE]
        ]
        ids, offsets = tok.encode_batch(list(chain.from_iterable(families)), threads)
        encoded = iter(np.split(ids, offsets[1:-1].astype(np.intp)))
        for family in families:
            whole = next(encoded)
            for prompt in islice(encoded, len(family) - 1):
                boundaries += 1
                unstable += not np.array_equal(prompt, whole[: len(prompt)])
    return Instability(boundaries, unstable)


def prompts(text: str, pattern: str, random: Random) -> Iterator[str]:
    """Some beginnings of a text, each up to the end of a pretoken."""
    data = text.encode()
    ends = pretoken_ends([text], pattern)[0][:-1].tolist()
    for end in random.sample(ends, min(PLACES, len(ends))):
        yield data[:end].decode()
