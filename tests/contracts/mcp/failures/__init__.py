"""The tools when a service behind them fails."""
