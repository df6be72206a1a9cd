"""Files as people have them: found, read, split, and loaded here or into Azure AI Search.

- `files`: which files of a folder are read, and why the others are not
- `converters`: what reads a file, by its ending. `markup`: Markdown, HTML and text; `records`: CSV and JSON; with the
  packages of the extra `documents` `pdf`, and `office`: DOCX and PPTX, which `archives` counts before
- `parts`: what a converter gives, and the error of a file that cannot be read
- `sections`: the headings of a Markdown text. `tables`: rows as a table of Markdown. `pieces`: chunks of whole
  paragraphs, rows and sentences
- `reading`: a folder or a file as documents. `summary`: how many, and what was skipped
- `command`: `index`; `loading`: what it makes of a reading in Azure AI Search; `azure_index`: an index there, kept in
  step with documents; `embeddings`: the vectors of it
"""
