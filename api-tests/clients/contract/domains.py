"""Servers that staff block and allow."""

BLOCKS = "/api/v1/admin/domain_blocks"
ALLOWS = "/api/v1/admin/domain_allows"


def ask(people):
    kinds = ("domain_blocks", "domain_allows")
    scopes = " ".join(f"admin:read:{kind} admin:write:{kind}" for kind in kinds)
    staff = people.person("dagmar", role="Admin", scopes=f"read {scopes}")
    block = staff.post(
        BLOCKS,
        domain="spam.example",
        severity="silence",
        reject_media=True,
        private_comment="By mail",
        public_comment="Spam",
        obfuscate=True,
    )
    staff.get(BLOCKS)
    one = f"{BLOCKS}/{block['id']}"
    staff.put(one, severity="suspend", private_comment=None)
    staff.get(one)
    other = staff.post(BLOCKS, domain="mean.example")
    staff.delete(f"{BLOCKS}/{other['id']}")
    allow = staff.post(ALLOWS, domain="good.example")
    staff.post(ALLOWS, domain="good.example")
    staff.get(ALLOWS)
    one = f"{ALLOWS}/{allow['id']}"
    staff.get(one)
    staff.delete(one)
