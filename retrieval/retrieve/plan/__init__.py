"""The plan of a call: its queries, its filter and its hints, by a model or by rules.

- `planning`: makes the plan, and begins searches before the plan is complete

With a model:

- `plan_limits`: how many queries a plan may have, which targets, and whether a second round may follow
- `plan_by_model`: the prompt, and the queries of the reply
- `plan_hints`: the filter that a model may write; filters and boosts from query hints

Without one:

- `plan_by_rules`: a search by weighed words, and of a message that stands alone; the search beside a model's plan
- `facet_preferences`: values of facets: those that a question names, and those that a prompt shows
"""
