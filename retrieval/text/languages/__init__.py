"""The data of each language, and the recognition of a text's language. The words of a language are in a TOML file with
its code (`de.toml`).

- `language`: The known languages, and the class for the data of a language
- `recognition`: Recognises the language of a text by its common words and characters. English is assumed for a text
  whose language is not recognised.
"""
