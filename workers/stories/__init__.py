"""The stories that the demo plays: one file each, with what the world must hold at its end, written by hand."""
