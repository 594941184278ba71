"""What a Jira says of itself: version, user, fields, projects and the lists that names are chosen from."""

from collections.abc import Mapping

from workers.sandbox import tickets_shape as shape
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.tickets_answers import Site, no, refusal, user_of
from workers.sandbox.tickets_search import is_blind, saw_again
from workers.sandbox.tickets_workflow import (
    ISSUE_TYPES,
    PRIORITIES,
    PROJECTS,
    RESOLUTIONS,
    STATUSES,
    Project,
    project_of,
)


async def server_info(ctx: Ctx, site: Site) -> Reply:
    """The `jira` package asks this first; only deploymentType Cloud makes it use Cloud's search."""
    version = "1001.0.0-SNAPSHOT" if site.cloud else "9.12.0"
    numbers = [1001, 0, 0] if site.cloud else [9, 12, 0]
    about = {
        "baseUrl": site.root, "version": version, "versionNumbers": numbers, "buildNumber": 100_000,
        "deploymentType": "Cloud" if site.cloud else "Server", "serverTime": shape.moment(ctx.world.now()),
        "serverTitle": "Sandbox",
    }  # fmt: skip
    return Reply(200, about)


async def myself(ctx: Ctx, site: Site) -> Reply:
    """Who asks; 401 once the login has expired, which a search would not say."""
    if is_blind(ctx.world):
        saw_again(ctx.world)
        return refusal(401)
    return Reply(200, shape.user(site, user_of(ctx) or ""))


async def fields(_ctx: Ctx, _site: Site) -> Reply:
    """Asked once by the `jira` package, which turns names of JQL into ids of fields with it."""
    return Reply(200, shape.field_list())


async def statuses(_ctx: Ctx, site: Site) -> Reply:
    """GET /status."""
    return Reply(200, [shape.status(site, each) for each in STATUSES.values()])


async def issuetypes(_ctx: Ctx, site: Site) -> Reply:
    """GET /issuetype."""
    return Reply(200, [shape.issuetype(site, name) for name in ISSUE_TYPES])


async def priorities(_ctx: Ctx, site: Site) -> Reply:
    """GET /priority."""
    return _table(site, "priority", PRIORITIES)


async def resolutions(_ctx: Ctx, site: Site) -> Reply:
    """GET /resolution."""
    return _table(site, "resolution", RESOLUTIONS)


async def projects(_ctx: Ctx, site: Site) -> Reply:
    """GET /project."""
    return Reply(200, [shape.project(site, each) for each in PROJECTS.values()])


async def project(ctx: Ctx, site: Site) -> Reply:
    """GET /project/{project}, with its issue types."""
    return Reply(200, shape.project(site, _project(ctx), whole=True))


async def project_statuses(ctx: Ctx, site: Site) -> Reply:
    """GET /project/{project}/statuses: whether there is a done category, before there is a ticket."""
    return Reply(200, shape.project_statuses(site, _project(ctx)))


def _project(ctx: Ctx) -> Project:
    found = project_of(ctx.match["project"])
    if found is None:
        raise no(404, f"No project could be found with key '{ctx.match['project']}'.")
    return found


def _table(site: Site, resource: str, table: Mapping[str, str]) -> Reply:
    return Reply(200, [shape.named(site, resource, table, name) for name in table])
