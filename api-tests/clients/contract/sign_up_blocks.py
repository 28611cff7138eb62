"""Blocks that keep people from signing up, which staff manage."""

ADMIN = "/api/v1/admin"
KINDS = ("email_domain_blocks", "canonical_email_blocks", "ip_blocks")


def ask(people):
    scopes = " ".join(f"admin:read:{kind} admin:write:{kind}" for kind in KINDS)
    staff = people.person("berta", role="Admin", scopes=f"read {scopes}")
    domains, emails, networks = (f"{ADMIN}/{kind}" for kind in KINDS)
    domain = staff.post(domains, domain="spam.example")
    email = staff.post(emails, email="S.pam+1@mail.example")
    staff.post(emails, canonical_email_hash="ab" * 32)
    staff.post(f"{emails}/test", email="spam@mail.example")
    network = staff.post(
        networks, ip="192.0.2.0/24", severity="sign_up_block", comment="Spam", expires_in=3600
    )
    staff.put(f"{networks}/{network['id']}", severity="no_access")
    for path, block in ((domains, domain), (emails, email), (networks, network)):
        staff.get(path)
        one = f"{path}/{block['id']}"
        staff.get(one)
        staff.delete(one)
