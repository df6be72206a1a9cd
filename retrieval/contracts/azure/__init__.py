"""Azure AI Search's contracts: the members of all versions, and one module for each version.

- `version`: An api-version as data, and its contracts
- `versions`: The versions, with one module for each
- `members_by_version`: The marks of a member with its versions, the shape of one version, and the versions that have a
  member
- `retrieve`: Code for retrieve requests that all versions since 2025-08-01-preview share
- `definitions`: Reads and renders definitions in every version
- `pages`: Cuts lists of definitions into pages
- `definition_members`: Turns definitions into JSON members and back
- `definition_shapes`: Shapes of definitions of knowledge bases and agents
- `source_shapes`: Shapes of definitions of knowledge sources
- `kinds`: The kinds of knowledge sources, with one file for each kind
- `request_body`: Reads JSON bodies
- `precondition_headers`: Reads the headers of a write
- `errors`: The error envelope, and the status of each error
"""
