"""The plan of a call: its queries, its filter and its hints, by a model or by rules.

- `planning`: makes the plan, and begins searches before the plan is complete

With a model:

- `plan`: the prompt, and the queries of the reply
- `plan_filter`: the filter that a model may write
- `plan_hints`: filters and boosts from query hints
- `shown_values`: the languages and values of indexes, for prompts
- `beside_a_plan`: the rules' search beside a model's plan, and plans that are weak

Without one:

- `plan_by_rules`: a search by weighed words, and of a message that stands alone
- `weighed_words`: the words of a conversation by weight

Values of facets that a question names:

- `preferences`: finds them while the plan is made
- `facet_preferences`: raises the rank of documents that have them
"""
