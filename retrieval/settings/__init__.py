"""Reads the settings from the environment.

- `settings`: all settings, and the checks for conflicts between settings
- `misspelt_names`: the names that are one letter away from a setting that protects
- `environment`: reads the value of a setting
- `shapes`: the shapes of the settings that are JSON, and a sentence for each error
- `missing_definitions`: finds names in access settings that no agent and no index has
"""
