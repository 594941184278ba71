"""The commands of `saga`, one file per group."""
