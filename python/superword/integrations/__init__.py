"""Adapters for other libraries' pipelines. Each needs its library, so nothing is imported here.

In reading order:
    added_tokens       Finding added tokens in a text.
    truncation         Which tokens stay when there is room for fewer.
    model_inputs       Examples of one or two sequences, their ids and offsets.
    assembled          A row of ids of an example, before padding.
    retraining         Training a tokenizer like another one.
    special_pattern    Which special tokens are put around a text.
    structured_output  The bytes of tokens, for xgrammar and llguidance.
    transformers       `SuperwordTokenizer` for Hugging Face transformers.
    vllm               `VllmTokenizer`, and its registration with vLLM.
    datatrove          `SuperwordEncoder` for datatrove's pipelines.
"""
