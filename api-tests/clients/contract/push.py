"""The area `push`: the subscription of a client."""

ENDPOINT = "https://push.example/send/1"
KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}


def ask(people):
    quinn = people.person("quinn")
    path = "/api/v1/push/subscription"
    alerts = {"mention": True, "admin.sign_up": True}
    for standard in (False, True):
        subscription = {"endpoint": ENDPOINT, "keys": KEYS, "standard": standard}
        quinn.post(path, subscription=subscription, data={"alerts": alerts, "policy": "followed"})
        quinn.get(path)
    quinn.put(path, data={"alerts": {"poll": True}}, policy="none")
    quinn.delete(path)
