"""The environment, read once.

settings       every setting, and their conflicts              environment   readers of values
shapes         the settings that are JSON, with a sentence for each fault
"""
