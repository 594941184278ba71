"""The kernel: what a saga is, in plain values and pure functions. No clock, chance, environment, files or Temporal."""
