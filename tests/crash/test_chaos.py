"""The crash bench, short: 200 runs of one seed, with real processes, and the world is right at their end."""

import subprocess
import sys

import pytest

RUNS, SEED = 200, 20261130

# On two quiet cores it takes a minute and a half; beside the rest of the suite twice that, and the bench itself gives a
# run that does not end four minutes before it says so.
pytestmark = pytest.mark.timeout(600)


def test_the_short_crash_bench_has_seven_zeros_and_every_run_has_ended():
    command = [sys.executable, "-m", "workers.chaos", "--runs", str(RUNS), "--seed", str(SEED)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert said[0] == f"seed {SEED}, {RUNS} runs"
    assert said[-1] == (
        "scoreboard: duplicates=0 lost=0 orphans=0 wrongly_undone=0 wrong_clean=0 "
        "irreversible_before_pivot=0 wrong_apologies=0"
    )
    assert "killed: " in done.stdout
