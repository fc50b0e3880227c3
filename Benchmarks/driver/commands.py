"""Measures how long `sallyport token` takes to print a valid stored token. For comparison, also measures a program that does nothing."""

import os
import statistics
import subprocess
import sys
import time

import load


def starts(binaries, server, folder):
    """Returns how long a start of `EmptyProgram` and of `sallyport token` takes. The value for `sallyport token` is None if the sign-in failed."""
    home = os.path.abspath(f"{folder}/home")
    os.mkdir(home, 0o700)
    # The environment names no D-Bus session bus, so the command stores the tokens in an encrypted file. With a session
    # bus, it would use a Secret Service, and the result would include the time of that service.
    environment = {"HOME": home, "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": home}
    server.administer("client", "add", "--client-id", "command", "--name", "Command", "--redirect-uri",
                      "http://127.0.0.1/oauth2redirect/localhost", "--redirect-uri", "http://[::1]/oauth2redirect/localhost")
    # user.py takes the place of the browser and its user: it signs in and follows the redirect to the command.
    user = os.path.join(os.path.dirname(os.path.abspath(__file__)), "user.py")
    login = subprocess.run(
        [f"{binaries}/sallyport", "login", "--issuer", f"http://localhost:{server.port}", "--client-id", "command",
         "--timeout", "20", "--browser", f"{sys.executable} {user}"],
        env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if login.returncode != 0:
        load.say(f"sallyport login: {login.stderr.strip() or login.stdout.strip()}")
    empty = _time([f"{binaries}/EmptyProgram"], environment)
    token = _time([f"{binaries}/sallyport", "token"], environment) if login.returncode == 0 else None
    return {"empty": empty, "token": token}


def _time(command, environment, times=60):
    """The median and the minimum duration of `times` runs of a command, in milliseconds from the fork to the exit."""
    taken = []
    for _ in range(times):
        with open(os.devnull, "w") as nowhere:
            began = time.perf_counter()
            process = os.posix_spawn(command[0], command, environment, file_actions=[
                (os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1), (os.POSIX_SPAWN_DUP2, nowhere.fileno(), 2)])
            _, status = os.waitpid(process, 0)
            taken.append((time.perf_counter() - began) * 1000)
        if status != 0:
            raise SystemExit(f"{command[0]} failed: {status}")
    return {"median": statistics.median(taken), "best": min(taken)}
