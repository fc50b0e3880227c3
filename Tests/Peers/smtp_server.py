"""A small SMTP server for tests (RFC 5321). Usage: smtp_server.py FOLDER

Listens on a free port of 127.0.0.1 and writes the port to FOLDER/port. Accepts every message, and writes it with its recipients to
FOLDER/message-N. Uses only the standard library.
"""
import os
import socketserver
import sys
import threading

folder = sys.argv[1]
lock = threading.Lock()
count = 0


# Writes a file under another name first, so that a test does not read an incomplete file.
def write(name, text):
    with open(os.path.join(folder, name + ".new"), "wb") as file:
        file.write(text)
    os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))


class Session(socketserver.StreamRequestHandler):
    def reply(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        global count
        recipients = []
        self.reply("220 localhost")
        for line in self.rfile:
            command = line.strip().upper()
            if command.startswith(b"RCPT TO:"):
                recipients.append(line.strip()[8:])
                self.reply("250 OK")
            elif command == b"DATA":
                self.reply("354 Go ahead")
                lines = []
                for line in self.rfile:
                    if line == b".\r\n":
                        break
                    # RFC 5321 §4.5.2: the client doubles a period at the start of a line.
                    lines.append(line[1:] if line.startswith(b".") else line)
                with lock:
                    count += 1
                    write(f"message-{count}", b"RCPT " + b" ".join(recipients) + b"\n" + b"".join(lines).replace(b"\r\n", b"\n"))
                recipients = []
                self.reply("250 Accepted")
            elif command == b"QUIT":
                self.reply("221 Bye")
                return
            else:  # EHLO, MAIL FROM, and all other commands
                self.reply("250 localhost")


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
    write("port", str(server.server_address[1]).encode())
    server.serve_forever()
