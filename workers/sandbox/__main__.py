"""`python -m workers.sandbox --port 8470 --smtp-port 8471 --dir DIR`: runs until it is told to stop."""

import argparse
import sys
from pathlib import Path

from workers.sandbox import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="workers.sandbox", description="A world on loopback to break on purpose.")
    parser.add_argument("--port", type=int, default=8470, help="HTTP port of every system (0: a free one)")
    parser.add_argument("--smtp-port", type=int, default=8471, help="SMTP port (0: a free one)")
    parser.add_argument("--dir", type=Path, default=Path(".saga/sandbox"), help="where it keeps its memory")
    asked = parser.parse_args()
    sys.exit(run(asked.port, asked.smtp_port, asked.dir))
