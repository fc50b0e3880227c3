"""Processes that outlive the program that starts them. A folder has a file for each of them, so that another program can end them."""

import contextlib
import os
import pwd
import signal
import subprocess
import time


def started(identifier):
    """The time at which a process started, in clock ticks after the start of the machine, or `None` if the process has ended."""
    try:
        with open(f"/proc/{identifier}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    # After the name, the first field is the state, and the twentieth is the start time (proc_pid_stat(5)). In state Z,
    # the process has ended, but its parent process has not waited for it.
    return None if fields[0] == "Z" else fields[19]


def descendants(identifier):
    """A process and all processes below it."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
            # The second field after the name is the parent process.
            children.setdefault(int(file.read().rpartition(")")[2].split()[1]), []).append(int(name))
    found = [identifier]
    for process in found:
        found += children.get(process, [])
    return found


def owner():
    """The name of the user that runs PostgreSQL, and the words to put before a command so that this user runs it. PostgreSQL cannot run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name, []
    return "postgres", ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]


class Processes:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(f"{folder}/processes", exist_ok=True)
        os.makedirs(f"{folder}/logs", exist_ok=True)

    def start(self, name, command, environment=None):
        with open(f"{self.folder}/logs/{name}", "ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/",
                                       env=os.environ | (environment or {}))
        with open(f"{self.folder}/processes/{name}", "w") as file:
            file.write(f"{process.pid} {started(process.pid)}")

    def names(self):
        return sorted(os.listdir(f"{self.folder}/processes"))

    def identifier(self, name):
        """The identifier of a process, or `None` if it has ended, even if another process now has the same identifier."""
        with contextlib.suppress(OSError), open(f"{self.folder}/processes/{name}") as file:
            identifier, start = file.read().split()
            if started(identifier) == start:
                return int(identifier)
        return None

    def signal(self, name, number):
        """Sends a signal to a process and to all processes below it."""
        identifier = self.identifier(name)
        for process in descendants(identifier) if identifier else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def end(self, name, timeout=20):
        """Ends a process with SIGTERM, and with SIGKILL after the timeout in seconds."""
        identifier = self.identifier(name)
        if not identifier:
            return
        below = [(process, started(process)) for process in descendants(identifier)]
        os.kill(identifier, signal.SIGTERM)
        deadline = time.monotonic() + timeout
        while any(started(process) == start for process, start in below) and time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(identifier, os.WNOHANG)
            time.sleep(0.05)
        for process, start in below:
            if started(process) == start:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(identifier, 0)

    def kill(self, name):
        """Kills a process and all processes below it, as the loss of their machine would."""
        # All of them are stopped first, so that none of them notices that another one has ended.
        self.signal(name, signal.SIGSTOP)
        self.signal(name, signal.SIGKILL)
        identifier = self.identifier(name)
        # TypeError: the process has already ended, so the identifier is `None`.
        with contextlib.suppress(ChildProcessError, TypeError):
            os.waitpid(identifier, 0)
