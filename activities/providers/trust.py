"""Whom our clients trust: the certificate authorities that come with httpx."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def trust(*, of_environment: bool = False) -> ssl.SSLContext:
    """One for all clients of a process: to read the authorities takes 30 ms, and they are the same each time.

    `of_environment`: those that SSL_CERT_FILE or SSL_CERT_DIR names, if any, as httpx does by itself.
    """
    return httpx.create_ssl_context(trust_env=of_environment)
