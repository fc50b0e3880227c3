"""Tries what the settings of the service's systemd unit forbid. Usage: probe.py mnt=LINK ipc=LINK uts=LINK

Prints a JSON object that says for each setting whether systemd enforces it. The exit code is always 0. Each argument is
the link of a namespace outside the unit, as in /proc/self/ns. The files /tmp/outside and /dev/outside exist outside the
unit.
"""
import ctypes
import json
import mmap
import os
import resource
import socket
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, PER_LINUX32, PTRACE_TRACEME = 0x10000000, 8, 0


def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
    return False


def call(function, *arguments):
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), function.__name__)


def read_only(path):
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def namespace(kind):
    return os.readlink(f"/proc/self/ns/{kind}")


def write(path):
    with open(path, "w") as file:
        file.write("#!/bin/false\n")
    return path


def cannot_execute(folder):
    path = write(f"{folder}/probe")
    os.chmod(path, 0o700)
    if os.fork() == 0:
        os._exit(0 if refused(lambda: os.execv(path, [path])) else 1)
    held = os.wait()[1] == 0
    os.unlink(path)
    return held


def cannot_set_setuid_bit(path):
    write(path)
    held = refused(lambda: os.chmod(path, 0o4755))
    os.unlink(path)
    return held


def main():
    outside = dict(word.split("=") for word in sys.argv[1:])
    status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
    data = os.environ["STATE_DIRECTORY"]
    held = {
        "User": os.getuid() != 0,
        "NoNewPrivileges": status["NoNewPrivs"] == "1",
        "CapabilityBoundingSet": int(status["CapBnd"], 16) == 0 and int(status["CapEff"], 16) == 0,
        "LimitCORE": resource.getrlimit(resource.RLIMIT_CORE) == (0, 0),
        "UMask": os.umask(0) == 0o077,
        "ProtectSystem": all(read_only(path) for path in ("/", "/usr", "/etc", "/var", "/var/lib")) and not read_only(data),
        "ProtectHome": all(os.stat(path).st_mode & 0o7777 == 0 for path in ("/home", "/root", "/run/user")),
        "ProtectControlGroups": read_only("/sys/fs/cgroup"),
        "PrivateTmp": not os.path.exists("/tmp/outside"),
        "PrivateDevices": not os.path.exists("/dev/outside"),
        "ProtectProc": not os.path.exists("/proc/1"),
        "ProcSubset": not os.path.exists("/proc/meminfo"),
        "NoExecPaths": all(cannot_execute(folder) for folder in (data, "/tmp", "/var/tmp", "/dev/shm")),
        # Outside the unit, one range usually maps all users. The unit maps single users, so its first range has the
        # length 1.
        "PrivateUsers": open("/proc/self/uid_map").read().split()[2] == "1",
        "PrivateMounts": namespace("mnt") != outside["mnt"],
        "PrivateIPC": namespace("ipc") != outside["ipc"],
        "ProtectHostname": namespace("uts") != outside["uts"],
        "RestrictAddressFamilies": refused(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
        "RestrictNamespaces": refused(lambda: call(LIBC.unshare, CLONE_NEWUSER)),
        "RestrictSUIDSGID": cannot_set_setuid_bit(f"{data}/probe"),
        "LockPersonality": refused(lambda: call(LIBC.personality, PER_LINUX32)),
        "MemoryDenyWriteExecute": refused(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)),
        "SystemCallFilter": refused(lambda: call(LIBC.ptrace, PTRACE_TRACEME, 0, 0, 0)) and refused(lambda: os.sched_setaffinity(0, {0, 1})),
    }
    print(json.dumps(held))


main()
