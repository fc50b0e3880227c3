#!/usr/bin/env python3
"""Installs the Debian package in a root of its own, and lives with it: start, reload, stop, upgrade, removal.

The root is this system with a layer over it that is thrown away, so nothing is installed here. There is no systemd in it: the server is
started by this script under what its unit says as far as the kernel does it for anybody: user, capabilities, a read-only root with a private
/tmp, the system calls, socket families and memory that the unit allows, and the socket of sd_notify.
"""
import contextlib
import ctypes
import os
import pathlib
import pwd
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = "var/lib/sallyport"
SETTINGS = "etc/sallyport/sallyportd.yaml"
LIBC = ctypes.CDLL(None, use_errno=True)
SECCOMP = ctypes.CDLL("libseccomp.so.2")
SECCOMP.seccomp_init.restype = ctypes.c_void_p
CLONE_NEWNS, MS_BIND, MS_REMOUNT, MS_RDONLY, MS_NOSUID, MS_NODEV = 0x20000, 4096, 32, 1, 2, 4
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_SET_PDEATHSIG = 38, 24, 1
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM)
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
PROT_WRITE, PROT_EXEC = 2, 4


class Comparison(ctypes.Structure):
    """scmp_arg_cmp."""

    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


EQUAL, MASKED = 4, 7


def check(holds, what):
    if not holds:
        sys.exit(f"package: {what}")
    print(f"package: {what}", flush=True)


def mount(source, target, kind, flags, data=""):
    if LIBC.mount(source.encode(), str(target).encode(), kind.encode(), flags, data.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount {target}")


def unit():
    """The settings of the unit's service, each with all of its lines."""
    found = {}
    section = ""
    for line in (ROOT / "Packaging" / "sallyportd.service").read_text().splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found


def system_calls(group):
    """The names in one of systemd's groups, those of groups in it included."""
    text = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True).stdout
    names = set()
    for line in text.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            names |= system_calls(word)
        elif word and not word.startswith("#"):
            names.add(word)
    return names


def allowed_calls(settings):
    allowed = set()
    for line in settings["SystemCallFilter"]:
        groups = set().union(*(system_calls(word) for word in line.lstrip("~").split()))
        allowed = allowed - groups if line.startswith("~") else allowed | groups
    return allowed | {"execve", "exit", "exit_group"}


def restrict(allowed, families):
    """The filter of system calls, as systemd makes it of the unit. Nothing but what it allows can be done after this."""
    context = ctypes.c_void_p(SECCOMP.seccomp_init(REFUSE))

    def allow(name, *comparisons):
        number = SECCOMP.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return
        array = (Comparison * max(len(comparisons), 1))(*comparisons)
        if SECCOMP.seccomp_rule_add_array(context, ALLOW, number, len(comparisons), array) != 0:
            raise OSError(f"no filter for {name}")

    for name in sorted(allowed - {"socket", "mmap", "mprotect", "pkey_mprotect"}):
        allow(name)
    for family in families:
        allow("socket", Comparison(0, EQUAL, FAMILIES[family], 0))
    # MemoryDenyWriteExecute: what can be written is never executed, and nothing becomes executable later.
    for bits in (0, PROT_WRITE, PROT_EXEC):
        allow("mmap", Comparison(2, MASKED, PROT_WRITE | PROT_EXEC, bits))
    allow("mprotect", Comparison(2, MASKED, PROT_EXEC, 0))
    if SECCOMP.seccomp_load(context) != 0:
        raise OSError("the filter was not taken")


class Machine:
    """The root with the package in it."""

    def __init__(self, folder):
        self.root = folder / "root"
        for name in ("upper", "work", "root"):
            (folder / name).mkdir()
        mount("overlay", self.root, "overlay", 0, f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work")
        mount("proc", self.root / "proc", "proc", 0)
        mount("/dev", self.root / "dev", "", MS_BIND)
        for name in ("tmp", "run"):
            mount("tmpfs", self.root / name, "tmpfs", 0, "mode=1777")
        self.settings = unit()
        self.calls = allowed_calls(self.settings)

    def run(self, *command, user=None, fails=False):
        words = ["chroot", str(self.root), *(["runuser", "-u", user, "--"] if user else []), *command]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        if (done.returncode != 0) != fails:
            sys.exit(f"package: {shlex.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def path(self, name):
        return self.root / name

    @contextlib.contextmanager
    def server(self):
        """The service, from READY=1 to STOPPING=1 and exit code 0; gives what reads its messages."""
        with tempfile.TemporaryDirectory(dir=self.path("run")) as folder:
            address = pathlib.Path(folder) / "notify"
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            listener.bind(str(address))
            os.chmod(folder, 0o755)
            os.chmod(address, 0o777)
            listener.settimeout(30)
            inside = "/" + str(address.relative_to(self.root))
            log = tempfile.TemporaryFile()
            child = os.fork()
            if child == 0:
                try:
                    self.become_service(inside, log)
                except BaseException as error:  # nothing of the parent's may run here
                    os.write(2, f"package: the server was not started: {error}\n".encode())
                os._exit(70)

            def message():
                try:
                    return listener.recv(4096).decode().split("\n")[0]
                except TimeoutError:
                    log.seek(0)
                    sys.exit(f"package: the server says nothing; its log:\n{log.read().decode()}")

            check(message() == "READY=1", "starts as its own user under the unit's rules, and says that it is ready")
            try:
                yield lambda: (os.kill(child, 1), message(), message())[1:], child
            finally:
                os.kill(child, 15)
            check(message() == "STOPPING=1", "says that it stops")
            check(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "ends with exit code 0")

    def become_service(self, notify, log):
        settings, account = self.settings, None
        LIBC.prctl(PR_SET_PDEATHSIG, 9)
        if LIBC.unshare(CLONE_NEWNS) != 0:
            raise OSError("no mount namespace")
        # ProtectSystem=strict with StateDirectory, PrivateTmp, ProtectHome.
        mount(str(self.root), self.root, "", MS_BIND | 16384)
        mount("", self.root, "", MS_BIND | MS_REMOUNT | MS_RDONLY)
        mount(str(self.path(DATA)), self.path(DATA), "", MS_BIND)
        mount("", self.path(DATA), "", MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV)
        mount("tmpfs", self.path("tmp"), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
        for name in ("home", "root"):
            mount("tmpfs", self.path(name), "tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY, "mode=000")
        os.chroot(self.root)
        os.chdir("/")
        account = pwd.getpwnam(settings["User"][0])
        for capability in range(64):
            LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
        os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
        os.umask(int(settings["UMask"][0], 8))
        LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        restrict(self.calls, settings["RestrictAddressFamilies"][0].split())
        words = shlex.split(settings["ExecStart"][0])
        os.execve(words[0], words, {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NOTIFY_SOCKET": notify})


def newer(package, folder):
    """The same package under a later version."""
    files, package_file = folder / "newer", folder / "newer.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", package, files], check=True)
    control = files / "DEBIAN" / "control"
    text = control.read_text()
    version = next(line for line in text.splitlines() if line.startswith("Version: "))
    control.write_text(text.replace(version, version + "+later"))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", files, package_file], check=True, capture_output=True)
    return package_file


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) == 2:
        os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", sys.executable, __file__, str(package), "inside"])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    folder = pathlib.Path(tempfile.mkdtemp())
    mount("tmpfs", folder, "tmpfs", 0)
    live(Machine(folder), package, folder)


def live(machine, package, folder):
    def install(file):
        shutil.copy(file, machine.path("tmp/package.deb"))
        machine.run("dpkg", "--install", "--force-confold", "/tmp/package.deb")

    def sallyportd(*arguments, **options):
        return machine.run("sallyportd", *arguments, "--config", f"/{SETTINGS}", user="sallyport", **options)

    install(package)
    status = machine.path(DATA).stat()
    check(status.st_mode & 0o7777 == 0o700 and status.st_uid != 0, "installed: the data directory is for the service's user alone")
    check(list(machine.path(DATA).iterdir()) == [], "nothing was started and nothing made before the operator has named the issuer")
    machine.run("sallyportd", "check-config", "--config", f"/{SETTINGS}")
    for page in ("1/sallyport", "8/sallyportd", "8/sallyportd-backup"):
        section, name = page.split("/")
        check(machine.path(f"usr/share/man/man{section}/{name}.{section}.gz").exists(), f"there is a manual page {name}({section})")

    database = machine.path(f"{DATA}/sallyport.db")
    with contextlib.closing(sqlite3.connect(database)) as old:
        old.executescript((ROOT / "Tests" / "Package" / "first-schema.sql").read_text())
    os.chown(database, status.st_uid, status.st_gid)
    database.chmod(0o600)
    settings = machine.path(SETTINGS)
    settings.write_text(settings.read_text() + "\nname: Changed by the operator\n")
    install(newer(package, folder))
    check("Changed by the operator" in settings.read_text(), "an upgrade keeps the operator's settings")

    with machine.server() as (reload, process):
        state = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines() if ":\t" in line)
        check(state["Seccomp"] == "2" and state["NoNewPrivs"] == "1", "runs under a filter of system calls, and gains no privileges")
        check(int(state["CapBnd"], 16) == 0 and int(state["CapEff"], 16) == 0 and "0" not in state["Uid"].split(), "has no capabilities")
        with urllib.request.urlopen("http://localhost:8080/.well-known/openid-configuration", timeout=10) as answer:
            check(answer.status == 200, "answers, on a database of the first release")
        check("ada" in sallyportd("user", "list") and "notes" in sallyportd("client", "list"), "the rows of then are there")
        check("problem" not in sallyportd("doctor"), "the doctor finds no problem")
        check(reload() == ("RELOADING=1", "READY=1"), "reloads on SIGHUP")
        sallyportd("backup", f"/{DATA}/saved")
        check("in use" in sallyportd("restore", f"/{DATA}/saved", "--replace", fails=True), "nothing is restored under it")

    machine.run("dpkg", "--remove", "sallyport")
    check(not machine.path("usr/bin/sallyportd").exists() and database.exists() and settings.exists(), "removed: data and settings stay")
    install(package)
    check("ada" in sallyportd("user", "list"), "installed again, it goes on with them")
    machine.run("dpkg", "--purge", "sallyport")
    check(not machine.path(DATA).exists() and not settings.exists(), "purged: nothing is left")


main()
