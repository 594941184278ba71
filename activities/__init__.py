"""Everything that touches the outside going forward: the doors, the tools, and the providers behind them."""
