"""The story: agent runs, the reconciler, and the saga that any workflow can use."""
