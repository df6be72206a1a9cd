"""Azure AI Search's contracts: one package a version, and what all versions share.

v2025_05_01_preview  v2025_08_01_preview                                            knowledge agents
v2025_11_01_preview  v2026_04_01  v2026_05_01_preview  v2026_08_01_preview  v2026_10_01  v2026_11_01_preview
                                                                          knowledge bases
definitions  the contract of definitions, whatever the version
definition_shapes   what versions have alike        definition_members   all members that any version has
request_body  reading JSON bodies                     errors         the error envelope
retrieve     what versions of retrieve share           member_versions  which versions have a member
query_hints  hints of a knowledge source               stored_source  what a target searches as it is stored
preconditions   headers of a write, pages of a list       preview_definitions  those that recent previews have alike
kinds        one file a kind of knowledge source       preview_kinds  the kinds of recent previews
"""
