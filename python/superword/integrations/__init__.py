"""Adapters for other libraries' pipelines. Each needs its library, so nothing is imported here.

In reading order:
    added_tokens       Finding added tokens in a text.
    truncation         Which tokens stay when there is room for fewer.
    model_inputs       Examples of one or two sequences, their ids and offsets.
    assembled          A row of ids of an example, before padding.
    retraining         Training a tokenizer like another one.
    special_pattern    Which special tokens are put around a text.
    structured_output  The bytes of tokens, for xgrammar and llguidance.
    token_prefixes     Which tokens agree with bytes that have to be written first.
    covers             The token sequences that cover held-back bytes, and their probabilities.
    held_back_logits   The mask by which transformers models continue from held-back bytes.
    model_covers       `find_covers`, the exact way to do so.
    transformers       `SuperwordTokenizer` for Hugging Face transformers.
    vllm               `VllmTokenizer`, and its registration with vLLM.
    scoring            Which ids of a text are scored, given its context.
    lm_eval            `SuperwordLM` for lm-evaluation-harness.
    datatrove          `SuperwordEncoder` for datatrove's pipelines.
"""
