"""The bundled sample."""

from __future__ import annotations

import superword


def test_the_sample_is_six_novels_in_full() -> None:
    documents = list(superword.sample())
    assert len(documents) == 207
    assert sum(len(document.encode()) for document in documents) == 2_857_956
    for words in ("Mr. Darcy", "Cheshire Cat", "Long John", "Frankenstein", "Dorian", "guillotine"):
        assert any(words in document for document in documents), words
