"""The chat server of CHAT_URL, over HTTP: what such servers do differently, and that slow is not broken."""
