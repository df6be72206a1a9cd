"""The answer without a model.

extract      sentences of the selected chunks, word for word, each with its source
"""
