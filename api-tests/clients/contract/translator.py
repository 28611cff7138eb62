"""A translation backend with the API of LibreTranslate that translates into capital letters.

python translator.py PORT; prints `listening` once it is ready.
"""
import http.server
import json
import re
import sys

LANGUAGES = [{"code": code, "name": code, "targets": ["de", "en"]} for code in ("de", "en")]


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(LANGUAGES)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"translatedText": [capitals(text) for text in asked["q"]]})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def capitals(html):
    """Returns the words in capitals; tags and entities stay unchanged."""
    return re.sub(r"(<[^>]*>|&[^;]*;)|([^<&]+)", lambda part: part[1] or part[2].upper(), html)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service)
    print("listening", flush=True)
    server.serve_forever()


main()
