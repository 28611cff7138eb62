"""A website with one article, to which statuses link.

python article.py PORT; prints `listening` once it is ready.
"""
import http.server
import sys

PAGE = b"<title>Waxwings</title><meta property=og:type content=article>"


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Site)
    print("listening", flush=True)
    server.serve_forever()


main()
