"""The edge out: one file a service. Each alone knows its SDK, and turns that SDK's errors into ours."""
