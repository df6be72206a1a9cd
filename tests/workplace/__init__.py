"""Tests of what a developer works with: VS Code, dev containers, Windows, azd's templates, issues on GitHub.

What cannot run here (VS Code, containers, PowerShell, azd) is checked against its schema, and what it names is there.
"""
