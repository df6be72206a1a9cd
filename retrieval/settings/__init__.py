"""The environment, read once.

settings       every setting and what contradicts another     environment   a kind of value each
shapes         the settings that are JSON, with a sentence for each fault
"""
