"""Azure AI Search's contracts: one package for each version, and the modules that several versions share.

- `v2025_05_01_preview`, `v2025_08_01_preview`: The versions with knowledge agents
- `v2025_11_01_preview`, `v2026_04_01`, `v2026_05_01_preview`, `v2026_08_01_preview`, `v2026_10_01`,
  `v2026_11_01_preview`: The versions with knowledge bases
- `retrieve`: Code for retrieve requests that all versions since 2025-08-01-preview share
- `definitions`: Reads and renders definitions in every version
- `definition_members`: Turns definitions into JSON members and back
- `definition_shapes`: Shapes of definitions that are the same in several versions
- `preview_definitions`: Shapes of definitions that are the same in recent previews
- `kinds`: The kinds of knowledge sources, with one file for each kind
- `preview_kinds`: The kinds of knowledge sources in recent previews
- `query_hints`: The query hints of a knowledge source
- `stored_source`: Makes a search target from stored definitions
- `member_versions`: Finds the versions that have a member
- `request_body`: Reads JSON bodies
- `preconditions`: Reads the headers of a write, and cuts lists into pages
- `errors`: The error envelope, and the status of each error
"""
