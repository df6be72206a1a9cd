"""The rules that do a step without a model. No function here awaits.

route_by_rules     the route: whether a message needs documents
plan_by_rules      the plan: a search by weighed words, and of a message that stands alone
beside_a_plan      the search beside a model's plan, and plans that are weak
weighed_words      the words of a conversation by weight
second_search      a search for names in the first documents   names     names in a text
linked_documents   the documents that those names lead to
facet_preferences  values of facets that a question names
tool_arguments     a query as the one text that a tool needs
answer_by_rules    the answer without a writer                 passages  the part of a chunk that such an answer shows
"""
