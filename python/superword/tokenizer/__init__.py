"""A trained tokenizer: loading, encoding, decoding, inspecting.

In reading order:
    profiles          Names for options of training that belong together.
    config            `TrainingConfig`: the options that decide a model.
    rules             The rules of a model, and the steps of an explanation.
    display           Consoles, and tokens in colors on them.
    colors            The colors of tokens and rules.
    shown_tokens      What is shown of a token.
    token_html        Tokens and steps as HTML.
    shown_text        A text as tokens, in notebooks and terminals.
    explanation       The steps of an explanation, in notebooks and terminals.
    threads           The number of threads.
    streams           Texts and ids that arrive in pieces, and prompts.
    encoding          The methods that encode and decode.
    rank_checks       Whether merging by rank gives the ids of a model.
    rank_merging      Bytes that are not UTF-8, merged by rank as tiktoken does.
    tiktoken_adapter  The same methods as `tiktoken.Encoding` has.
    bundled           The models in the package.
    other_files       What a file is that is not a model, and what opens it.
    tokenizer         `Tokenizer` and `load`.
    inspection        A summary of a model.
    summary           A summary of a tokenizer, in notebooks.
"""

from superword.tokenizer.bundled import BUNDLED_MODELS, find_bundled
from superword.tokenizer.config import (
    Deletion,
    OneStageKeywords,
    TrainingConfig,
    TrainingKeywords,
    parse_cap,
)
from superword.tokenizer.encoding import Offsets
from superword.tokenizer.rules import Rule, Step
from superword.tokenizer.streams import DecodeStream, EncodeStream, Prompt
from superword.tokenizer.tokenizer import Tokenizer, Training, load

__all__ = [
    "BUNDLED_MODELS",
    "DecodeStream",
    "Deletion",
    "EncodeStream",
    "Offsets",
    "OneStageKeywords",
    "Prompt",
    "Rule",
    "Step",
    "Tokenizer",
    "Training",
    "TrainingConfig",
    "TrainingKeywords",
    "find_bundled",
    "load",
    "parse_cap",
]
