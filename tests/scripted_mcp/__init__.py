"""An MCP server that does what a test says: its tools, their output, and every way in which it can be hostile."""

from tests.scripted_mcp.server import ScriptedMcp, listening, text, tool

__all__ = ["ScriptedMcp", "listening", "text", "tool"]
