"""The steps that a model performs in a call. For each step, one module makes the prompt and reads the reply. No
function here awaits.

- `route`: whether documents are needed
- `plan`: the queries of a conversation
- `plan_filter`: the filter that a model may write
- `plan_hints`: filters and boosts of a plan from query hints
- `second_plan`: other queries, where the first queries found nothing
- `select`: the documents that come first, and further queries
- `answer`: the answer as blocks, and the judgement of its evidence
- `write`: a synthesis as blocks
- `markdown_habits`: Markdown that a model writes into a block
- `replies`: reading a model's reply
- `tool_calls`: the calls of tools, with arguments
- `input_schema`: whether a tool's schema allows arguments
- `fences`: chunks as data of a prompt
- `shown_values`: the languages and values of indexes, for prompts
- `shown_conversation`: the latest turns of a conversation, for prompts
- `prompts`: a text file for each prompt

Each prompt is a text file in `prompts/` with a version in its name. A changed prompt gets a new version.
"""
