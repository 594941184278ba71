"""The sandbox and the outside, as the providers' tests have them."""

from tests.activities.conftest import outside as outside  # noqa: PLC0414 - a fixture, handed on
from tests.sandbox.conftest import sandbox as sandbox  # noqa: PLC0414 - a fixture, handed on
