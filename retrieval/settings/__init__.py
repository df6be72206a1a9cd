"""Reads the settings from the environment.

- `settings`: all settings, and the checks for conflicts between settings and for misspelt names
- `environment`: reads the value of a setting
- `shapes`: the shapes of the settings that are JSON, and a sentence for each error
- `missing_definitions`: finds names in access settings that no agent and no index has
"""
