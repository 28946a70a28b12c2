"""The specification of docs/algorithm.md in slow, plain Python. The core is tested against it.

In reading order:
    pretokens  Splitting texts into pretokens.
    rules      Rules, and how they apply to units: pretokens with their tokens, and superwords.
    limits     The limits of training.
    training   Learning rules.
    extending  Learning further rules after those of a model.
    encoding   Applying rules to a text.
    pruning    Choosing the tokens of a smaller vocabulary.

>>> rules, vocabulary = train(["to be or to be", "to be"], 262)
>>> encode("to be", rules)
[b'to be']
"""

from superword.reference.encoding import encode, explain, first_pair, spell
from superword.reference.extending import extend
from superword.reference.limits import NO_LIMITS, Limits, is_forbidden, is_unspaced_word
from superword.reference.pretokens import (
    DEFAULT_PATTERN,
    ELIGIBLE,
    PATTERNS,
    SCRIPT_ELIGIBLE,
    SCRIPT_NAMES,
    SCRIPT_PATTERN,
    SCRIPTS,
    SECOND_PATTERN,
    UNSPACED_LETTER,
    UNSPACED_REGEX,
    UNSPACED_SCRIPTS,
    find_script,
    find_scripts,
    is_eligible,
    pretokenize,
    split_by_script,
    split_once,
)
from superword.reference.pruning import inner_tokens, prune
from superword.reference.rules import (
    Item,
    Pair,
    Rule,
    Tokens,
    Unit,
    apply_in_unit,
    apply_rule,
    initial_units,
    join,
    pairs,
    single_bytes,
)
from superword.reference.training import Deletion, Trainer, most_frequent, train

__all__ = [
    "DEFAULT_PATTERN",
    "Deletion",
    "ELIGIBLE",
    "Item",
    "Limits",
    "NO_LIMITS",
    "PATTERNS",
    "Pair",
    "Rule",
    "SCRIPTS",
    "SCRIPT_ELIGIBLE",
    "SCRIPT_NAMES",
    "SCRIPT_PATTERN",
    "SECOND_PATTERN",
    "Tokens",
    "Trainer",
    "UNSPACED_LETTER",
    "UNSPACED_REGEX",
    "UNSPACED_SCRIPTS",
    "Unit",
    "apply_in_unit",
    "apply_rule",
    "encode",
    "explain",
    "extend",
    "find_script",
    "find_scripts",
    "first_pair",
    "initial_units",
    "inner_tokens",
    "is_eligible",
    "is_forbidden",
    "is_unspaced_word",
    "join",
    "most_frequent",
    "pairs",
    "pretokenize",
    "prune",
    "single_bytes",
    "spell",
    "split_by_script",
    "split_once",
    "train",
]
