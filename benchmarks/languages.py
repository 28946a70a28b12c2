"""Documents by language, for `encode_languages.py`.

A document belongs to a language if most of its letters are in its script. An ASCII document is
English if nearly all of its characters are letters and spaces, and code if many are not; what lies
between is neither.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain

from benchmark_text import read_documents

# The most bytes of a language: half of them to be seen, half unseen.
MAX_BYTES = 8_000_000
# Other documents are read from the training corpus, whose first bytes have less than that of some.
READ_BYTES = 400_000_000
ENGLISH_SHARE, CODE_SHARE = 0.94, 0.82

SCRIPTS = {
    "Han": "\u4e00-\u9fff\u3400-\u4dbf",
    "kana": "\u3041-\u30ff",
    "Korean": "\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f",
    "Thai": "\u0e01-\u0e4e",
    "Hindi": "\u0900-\u097f",
    "Arabic": "\u0600-\u06ff\u0750-\u077f",
    "Russian": "\u0400-\u04ff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
}
LANGUAGES = "English code Chinese Japanese Korean Thai Hindi Arabic Russian Greek".split()
IN_SCRIPT = {name: re.compile(f"[{ranges}]") for name, ranges in SCRIPTS.items()}
LETTERS_AND_SPACES = re.compile(r"[A-Za-z ]")


def find_language(text: str) -> str | None:
    """Return the language of a document; None if it is none of the list, or not clear."""
    if text.isascii():
        share = len(LETTERS_AND_SPACES.findall(text)) / max(len(text), 1)
        return "English" if share >= ENGLISH_SHARE else "code" if share <= CODE_SHARE else None
    letters = sum(map(str.isalpha, text))
    counts = {name: len(letter.findall(text)) for name, letter in IN_SCRIPT.items()}
    han, kana = counts.pop("Han"), counts.pop("kana")
    counts["Japanese" if kana * 10 > han else "Chinese"] = han + kana
    language = max(counts, key=lambda name: counts[name])
    return language if counts[language] * 2 > letters else None


def select_texts() -> dict[str, tuple[list[str], list[str]]]:
    """Return the documents of each language in two halves of about the same size.

    The evaluation corpus comes first, then the training corpus.
    """
    halves: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    sizes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    read = 0
    for text in chain(read_documents("eval"), read_documents("corpus")):
        read += len(text)
        if read > READ_BYTES:
            break
        language = find_language(text)
        if language is None or sum(sizes[language]) >= MAX_BYTES:
            continue
        smaller = sizes[language].index(min(sizes[language]))
        halves[language][smaller].append(text)
        sizes[language][smaller] += len(text.encode())
    return {language: halves[language] for language in LANGUAGES if language in halves}
