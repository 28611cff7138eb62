"""Statistics for staff, of the area `admin`."""

MEASURES = [
    "active_users",
    "new_users",
    "interactions",
    "opened_reports",
    "resolved_reports",
    "tag_accounts",
    "tag_uses",
    "tag_servers",
    "instance_accounts",
    "instance_media_attachments",
    "instance_reports",
    "instance_statuses",
    "instance_follows",
    "instance_followers",
]
DIMENSIONS = [
    "languages",
    "sources",
    "servers",
    "space_usage",
    "software_versions",
    "tag_servers",
    "tag_languages",
    "instance_accounts",
    "instance_languages",
]
DAYS = {"start_at": "2026-01-01T00:00:00Z", "end_at": "2026-01-07T00:00:00Z"}


def subjects(keys, tag):
    """Returns the hashtag or the server that each key is about."""
    about = {key: {"id": tag} for key in keys if key.startswith("tag_")}
    about.update({key: {"domain": "far.example"} for key in keys if key.startswith("instance_")})
    return about


def ask(people):
    staff = people.person("walburga", role="Moderator", scopes="read write admin:read")
    staff.post("/api/v1/statuses", status="#dashboards")
    tag = staff.get("/api/v1/tags/dashboards")["id"]
    for path, keys in (("measures", MEASURES), ("dimensions", DIMENSIONS)):
        path = f"/api/v1/admin/{path}"
        staff.post(path, keys=keys, **DAYS, **subjects(keys, tag))
    for frequency in ("day", "month"):
        staff.post("/api/v1/admin/retention", frequency=frequency, **DAYS)
