"""The versions of Azure AI Search's contracts, with one module for each. Each module has a `VERSION`, and none imports
another.

- `v2025_05_01_preview`: Knowledge agents over indexes, with shapes of its own
- `v2025_08_01_preview`: Knowledge agents over knowledge sources
- `v2025_11_01_preview`, `v2026_04_01`, `v2026_05_01_preview`, `v2026_08_01_preview`, `v2026_10_01`,
  `v2026_11_01_preview`: Knowledge bases
"""
