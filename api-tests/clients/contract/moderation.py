"""What staff do against accounts, of the area `admin`."""

ADMIN = "/api/v1/admin/accounts"
UNDO = {
    "disable": "enable",
    "sensitive": "unsensitive",
    "silence": "unsilence",
    "suspend": "unsuspend",
}


def ask(people):
    bodo = people.person("bodo")
    staff = people.person("clara", role="Admin", scopes="read admin:read admin:write:accounts")
    path = f"{ADMIN}/{bodo.id}"
    staff.post(f"{path}/action", type="none", text="Please be kind")
    bodo.get("/api/v1/notifications", types=["moderation_warning"])
    bodo.get("/api/v2/notifications")
    for action, undo in UNDO.items():
        staff.post(f"{path}/action", type=action, send_email_notification=False)
        staff.post(f"{path}/{undo}")
    staff.post(f"{path}/action", type="suspend")
    staff.delete(path)
