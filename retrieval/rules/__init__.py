"""The rules that do a step without a model. Nothing here awaits.

plan_by_rules     a conversation as weighed words, several questions one by one
weighed_words     the words of a conversation by weight
follow_up         the names that the first documents bring    names     names in a text
linked_documents  the documents that those names lead to
facets            values of facets that a question names
tool_arguments    a query as the one text that a tool needs
answer_by_rules   the answer that nobody wrote                passages  the part of a chunk that it shows
"""
