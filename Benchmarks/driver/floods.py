"""Measures sign-ins while one address floods five endpoints. The server has one core, and the load generator has another."""

import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import load
import overload
from browser import Browser
from process import Server

# CONNECTIONS is the number of connections of the flood, SLOW_BODIES the number of requests that are open at the same
# time and whose bodies do not end, and FORMS the number of different requests to each of the five endpoints.
CONNECTIONS, SLOW_BODIES, FORMS = 32, 72, 40
# At this rate, the sign-ins stay within the quota of pushed requests that all anonymous callers of a client share.
SIGN_INS_PER_SECOND = 5


def measure(options, folder):
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise SystemExit("two cores are needed: one for the server, one for the load generator")
    server = Server.sallyportd(options.binaries, folder)
    server.command = ["taskset", "-c", str(cores[0]), *server.command]
    # At least 200 sign-ins, so that the 99th percentile is not just the slowest sign-in.
    seconds = max(40, options.seconds)
    try:
        server.start()
        os.sched_setaffinity(0, {cores[1]})
        requests = write_requests(server, f"{folder}.requests")
        # Warms up the server.
        sign_ins(server, 2)
        alone = sign_ins(server, seconds)
        ended = threading.Event()
        with ThreadPoolExecutor() as others:
            slow = others.submit(slow_bodies, server, ended)
            # The flood begins one second before the measured sign-ins, and ends after them.
            flood = others.submit(load.wrk, server, 1, CONNECTIONS, seconds + 3, [f"{load.scripts}/requests.lua"], [requests], "REQUESTS")
            time.sleep(1)
            during = sign_ins(server, seconds)
            results, _ = flood.result()
            ended.set()
            opened = slow.result()
    finally:
        os.sched_setaffinity(0, cores)
        server.stop()
    print("| a complete sign-in, each from another address | count | p50, ms | p99, ms |\n|---|---|---|---|")
    for name, times in (("alone", alone), ("during the flood", during)):
        print(f"| {name} | {len(times)} | {percentile(times, 0.5):.0f} | {percentile(times, 0.99):.0f} |")
    print(f"\nThe 99th percentile grew to **{percentile(during, 0.99) / percentile(alone, 0.99):.1f}** times its value (goal: less than 3). "
          f"Responses to the flood, which came over {CONNECTIONS} connections from one address for {results['seconds']:.0f} s: "
          f"{overload.statuses(results)}. In addition, the address sent {opened} requests with slow bodies, {SLOW_BODIES} at a "
          f"time. No sign-in was rejected.")


def percentile(times, part):
    """The duration, in milliseconds, that `part` (0 to 1) of the durations do not exceed. The durations are in seconds."""
    return sorted(times)[min(len(times) - 1, int(part * len(times)))] * 1000


def sign_ins(server, seconds):
    """The duration of each sign-in, in seconds. A rejected sign-in ends the measurement."""
    times = []
    for number in range(seconds * SIGN_INS_PER_SECOND):
        began = time.perf_counter()
        # Any 200 consecutive sign-ins come from 200 different addresses.
        Browser(server.port, source=f"127.0.1.{number % 200 + 1}").whole_flow()
        times.append(time.perf_counter() - began)
        time.sleep(max(0, 1 / SIGN_INS_PER_SECOND - times[-1]))
    return times


def write_requests(server, path):
    """Writes the requests of the flood to a file. The requests go to five endpoints in turn. Each request has four lines, which
    requests.lua describes."""
    form = "application/x-www-form-urlencoded"
    push = Browser(server.port).authorize.partition("?")[2]
    registration = json.dumps({"client_name": "Flood", "redirect_uris": ["http://127.0.0.1/cb"],
                               "token_endpoint_auth_method": "none"})
    with open(path, "w") as file:
        for number in range(FORMS):
            # The server tries to fetch the client's metadata document from a host that does not exist.
            document = push.replace("client_id=benchmark", f"client_id=https%3A%2F%2Fhost-{number}.invalid%2Fclient.json")
            for lines in (("/par", form, "", push), ("/device_authorization", form, "", "client_id=benchmark"),
                          ("/register", "application/json", "", registration), (f"/authorize?{document}", form, "", ""),
                          overload.wrong_password(server, number)):
                print(*lines, sep="\n", file=file)
    return path


def slow_bodies(server, ended):
    """Keeps SLOW_BODIES requests open whose bodies do not end, and replaces those that the server closes. Returns how many requests
    it sent in total."""
    connections, opened = [], 0
    while not ended.wait(0.5):
        connections = [connection for connection in connections if stays_open(connection)]
        while len(connections) < SLOW_BODIES:
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.setblocking(False)
            connection.send(
                b"POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                b"Content-Length: 60000\r\n\r\ng")
            connections.append(connection)
            opened += 1
    for connection in connections:
        connection.close()
    return opened


def stays_open(connection):
    """Sends the next byte of the body. Returns whether the connection still seems to be open."""
    try:
        connection.send(b"g")
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
