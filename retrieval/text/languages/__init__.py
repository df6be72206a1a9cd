"""The data of each language, and the recognition of a text's language. Each language has a module.

- `language`: The class for the data of a language
- `recognition`: Recognises the language of a text by its common words and characters
- `en`: English, which is also assumed for a text whose language is not recognised
- `de`, `es`, `fr`, `it`, `ja`, `ko`, `pt`, `zh`: German, Spanish, French, Italian, Japanese, Korean, Portuguese and
  Chinese
"""
