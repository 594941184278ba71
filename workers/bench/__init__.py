"""`make bench`: what the harness costs, measured in one run against a bare Temporal workflow making the same calls."""
