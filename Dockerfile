# One image for the workers, the sandbox and the command line: `docker compose build`, or `docker build .`
FROM python:3.11.14-slim-bookworm AS build
# The version in the Makefile; a test keeps the two the same.
RUN pip install --no-cache-dir uv==0.13.9
ENV UV_PYTHON_DOWNLOADS=never UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
WORKDIR /app
# What the lock names first: a change of our own code does not fetch it again.
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN uv sync --frozen --no-dev --extra sandbox --no-install-project
COPY saga saga
COPY activities activities
COPY compensations compensations
COPY workflows workflows
COPY workers workers
RUN uv sync --frozen --no-dev --extra sandbox --no-editable

FROM python:3.11.14-slim-bookworm
# Its home is where the sandbox keeps the world, in .saga/.
RUN useradd --system --create-home --home-dir /var/lib/saga saga \
 && install --directory --owner=saga /var/lib/saga/.saga
COPY --from=build /app/.venv /app/.venv
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1
USER saga
WORKDIR /var/lib/saga
ENTRYPOINT ["saga"]
CMD ["--help"]
