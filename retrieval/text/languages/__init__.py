"""The data about languages for the rules, one file for each language, and the recognition of a text's language.

- `language`: The members of a language
- `recognition`: The language of a text, by its commonest words and signs
- `en`: English, which every text is read as in doubt
- `de`, `es`, `fr`, `it`, `ja`, `ko`, `pt`, `zh`: German, Spanish, French, Italian, Japanese, Korean, Portuguese and
  Chinese
"""
