"""The data of each language, and the recognition of a text's language. The words of a language are in a TOML file with
its code (`de.toml`).

- `language`: The class for the data of a language
- `known`: Reads the files of all languages
- `recognition`: Recognises the language of a text by its common words and characters. English is assumed for a text
  whose language is not recognised.
"""
