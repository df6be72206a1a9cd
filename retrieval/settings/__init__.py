"""The environment, read once.

settings       every setting, and their conflicts              environment   readers of values
shapes         the settings that are JSON, with a sentence for each fault
named          the agents and indexes that settings of access name, and nothing has
misspelt       variables one letter away from settings that protect
"""
