"""`Tokenizer.rules`, as programs and type checkers see them."""

from __future__ import annotations

from typing import assert_type

import superword
from superword import Rule


def test_the_right_token_of_a_merge_is_bytes_for_type_checkers_too() -> None:
    tok = superword.train(["to be or not to be", "to be"], 259)
    kinds = set()
    for rule in tok.rules:
        kinds.add(rule.kind)
        if rule.kind == "delete":
            assert_type(rule.right, None)
            assert rule.right is None
        else:
            # mypy fails here if the type is `bytes | None`.
            assert assert_type(rule.right, bytes)
            assert assert_type(rule.count, int)
    assert kinds == {"merge", "supermerge", "delete"}


def test_all_rules_are_of_one_class() -> None:
    tok = superword.train(["to be or not to be", "to be"], 259)
    first, *_ = tok.rules
    assert type(first) is Rule
    assert first == Rule(0, "merge", b" ", b"b", (), 3)
    assert repr(tok.rules[2]).startswith("Rule(index=2, kind='delete'")
