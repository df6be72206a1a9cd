"""What is done without a model. Nothing here awaits.

plan_by_rules   a conversation as weighed words, several questions one by one
follow_up       the names that the first documents bring      names    names in a text
facets          values of facets that a question names
matches         the answer that nobody wrote                  passages what is shown of a chunk in it
"""
