"""A trained tokenizer: loading, encoding, decoding, inspecting.

In reading order:
    profiles          Names for options of training that belong together.
    config            `TrainingConfig`: the options that decide a model.
    rules             The rules of a model, and the steps of an explanation.
    threads           The number of threads.
    streams           Texts and ids that arrive in pieces, and prompts.
    encoding          The methods that encode and decode.
    rank_checks       Whether merging by rank gives the ids of a model.
    rank_merging      Bytes that are not UTF-8, merged by rank as tiktoken does.
    tiktoken_adapter  The same methods as `tiktoken.Encoding` has.
    other_files       What a file is that is not a model, and what opens it.
    tokenizer         `Tokenizer` and `load`.
    display           Tokens as people read them.
    inspection        A summary of a model.
"""

from superword.tokenizer.config import Deletion, OneStageKeywords, TrainingConfig, TrainingKeywords
from superword.tokenizer.encoding import Offsets
from superword.tokenizer.rules import Rule, Step
from superword.tokenizer.streams import DecodeStream, EncodeStream, Prompt
from superword.tokenizer.tokenizer import Tokenizer, Training, load

__all__ = [
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
    "load",
]
