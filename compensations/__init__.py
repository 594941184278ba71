"""The counter-actions, one file each, and the door that runs them."""
