"""The sample corpus: `earth_at_night.jsonl`, about what is seen of the Earth at night. Data only, never deployed.

Every sentence in it is this project's own writing. One JSON object a line, all members strings: `id` (the key),
`page_number`, `title`, `terms` (key phrases, comma-separated) and `content`.
"""
