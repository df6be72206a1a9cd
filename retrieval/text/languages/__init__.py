"""The known languages, and which of them a text is in. The words of a language are in a TOML file with its code
(`de.toml`)."""
