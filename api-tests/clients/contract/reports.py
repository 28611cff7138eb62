"""The area `reports`, and what staff do with reports."""

ADMIN = "/api/v1/admin/reports"


def ask(people):
    otto, rude = people.person("otto"), people.person("rudolf")
    staff = people.person(
        "paula", role="Moderator", scopes="read admin:read:reports admin:write:reports"
    )
    status = rude.post("/api/v1/statuses", status="You are all wrong")
    report = otto.post(
        "/api/v1/reports",
        account_id=rude.id,
        status_ids=[status["id"]],
        comment="Rude",
        category="spam",
    )
    staff.get(ADMIN)
    path = f"{ADMIN}/{report['id']}"
    staff.get(path)
    staff.put(path, category="other")
    for action in ("assign_to_self", "unassign", "resolve"):
        staff.post(f"{path}/{action}")
    staff.get(ADMIN, resolved=True, target_account_id=rude.id)
    staff.post(f"{path}/reopen")
    staff.get("/api/v1/notifications", types=["admin.report"])
