"""A simulated store for clients of other people: over HTTP, over TLS, and with an address for its webhooks."""
import http.client
import http.server
import queue
import ssl
import subprocess
import tempfile
import threading

from served_terminal import start


class Store:
    """Runs 'cardpresent simulate store' while it is entered. `http` and `https` are its addresses."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        place = self.folder.name
        command = [self.program, "simulate", "store", "--port", "0", "--json", "--seed", "1", "--orders", "60"]
        for name in ["password", "token", "consumer-key"]:
            command += [f"--{name}-file", f"{place}/{name}"]
        self.process, view = start(command)
        self.http = view["address"]
        with open(f"{place}/consumer-key", encoding="ascii") as file:
            self.key, self.secret = file.read().strip().split(":")
        self.certificate = f"{place}/certificate.pem"
        self.tls = serve(TLSProxy, certificate(place, self.certificate))
        self.tls.target = self.http.removeprefix("http://")
        self.https = f"https://localhost:{self.tls.server_address[1]}"
        self.hooks = serve(Receiver)
        self.hooks.received = queue.Queue()
        self.hook_address = f"http://127.0.0.1:{self.hooks.server_address[1]}/hook"
        return self

    def __exit__(self, *_):
        self.tls.shutdown()
        self.hooks.shutdown()
        self.process.terminate()
        status = self.process.wait(timeout=30)
        self.folder.cleanup()
        if status != 0:
            raise SystemExit(f"the store ended with {status}")

    def message(self):
        """The next message to the webhooks' address: path, headers, body."""
        return self.hooks.received.get(timeout=20)


def serve(handler, context=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def certificate(place, path):
    """Makes a certificate for this machine and returns the server's side of TLS with it."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{place}/key.pem", "-out", path,
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, f"{place}/key.pem")
    return context


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))


class TLSProxy(Quiet):
    """Ends TLS in front of the store and says so, as a web server does."""

    def forward(self):
        connection = http.client.HTTPConnection(self.server.target, timeout=20)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("connection",)}
        headers["X-Forwarded-Proto"] = "https"
        connection.request(self.command, self.path, self.body(), headers)
        answer = connection.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "content-length", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        connection.close()

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = forward


class Receiver(Quiet):
    """Keeps the messages of webhooks."""

    def do_POST(self):
        self.server.received.put((self.path, dict(self.headers.items()), self.body()))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
