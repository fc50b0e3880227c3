#!/usr/bin/env python3
"""Tests the Debian package in a separate system: installation, start, reload, crash, power failure, upgrades, removal, and purge.

The test system is this machine's file system below a temporary overlay, in namespaces of its own, with its own systemd as the first process.
Nothing is installed on this machine, and a real systemd starts the unit with all its restrictions.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "Tests" / "Package"
SERVICE = "sallyportd.service"
UNIT = f"usr/lib/systemd/system/{SERVICE}"
DATA, SETTINGS = "var/lib/sallyport", "etc/sallyport/sallyportd.yaml"
METADATA = "http://localhost:8080/.well-known/openid-configuration"
LIBC = ctypes.CDLL(None, use_errno=True)

# The restrictions that the unit cannot have. The server uses the network, notifies systemd over a local socket, and may
# lower the priority of its threads. ProtectClock itself allows access to the clock's device (DeviceAllow).
EXPOSED = {
    "RootDirectoryOrRootImage", "RestrictAddressFamilies_AF_UNIX", "RestrictAddressFamilies_AF_INET_INET6", "PrivateNetwork", "DeviceAllow",
    "IPAddressDeny", "SystemCallFilter_resources",
}


def stop(text):
    sys.exit(f"package: {text}")


def check(holds, what):
    if not holds:
        stop(f"failed: {what}")
    print(f"package: {what}", flush=True)


def mount(source, target, kind, data=""):
    if LIBC.mount(source.encode(), str(target).encode(), kind.encode(), 0, data.encode()) != 0:
        stop(f"cannot mount a file system '{kind}' on this machine: {os.strerror(ctypes.get_errno())}")


def execute(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, **options)


def until(holds, what):
    """Waits for a condition that depends on another process."""
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            stop(f"failed: {what}")
        time.sleep(0.1)
    check(True, what)


class Machine:
    """The system in which the package is installed."""

    def __init__(self, folder):
        self.folder, self.root, self.init_process = folder, folder / "root", None
        for name in ("upper", "work", "root", "cgroups"):
            (folder / name).mkdir()
        mount("overlay", self.root, "overlay", f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work")
        mount("cgroup2", folder / "cgroups", "cgroup2")
        self.group = folder / "cgroups" / f"sallyport-package-{os.getpid()}-{time.time_ns()}"
        # Removes this machine's units and journal, the policy that prevents services from starting in container images,
        # and the file that enables updates of the index of manual pages.
        for pattern in ("etc/systemd/system/*", "etc/rc?.d/*", "usr/sbin/policy-rc.d", "var/log/journal", "var/lib/man-db/auto-update"):
            for path in self.root.glob(pattern):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for unit in ("console-getty", "systemd-networkd", "systemd-resolved", "systemd-timesyncd"):
            (self.root / f"etc/systemd/system/{unit}.service").symlink_to("/dev/null")
        shutil.copy(TESTS / "probe.py", self.root / "srv/probe.py")
        self.copy_libraries()

    def copy_libraries(self):
        """Copies the toolchain's libraries, which debug programs need, to a place that the unit can read."""
        loader = self.root / "etc/ld.so.conf.d/sallyport-test.conf"
        swift = pathlib.Path(shutil.which("swift") or "/").resolve().parent.parent / "lib/swift/linux"
        if swift.is_dir():
            shutil.copytree(swift, self.root / "srv/swift", ignore=lambda _, names: [name for name in names if ".so" not in name])
            loader.write_text("/srv/swift\n")
            execute(["chroot", self.root, "ldconfig"], check=True)

    def boot(self):
        self.group.mkdir(exist_ok=True)
        spaces = ["--mount", "--pid", "--ipc", "--uts", "--cgroup", "--fork", "--kill-child", "--propagation", "private"]
        enter = 'echo $$ >"$0/cgroup.procs"; exec "$@"'
        self.log = open(self.folder / "boot.log", "wb")
        self.host = subprocess.Popen(
            ["sh", "-c", enter, self.group, "unshare", *spaces, "sh", TESTS / "boot.sh", self.folder], stdout=self.log, stderr=self.log)
        children = pathlib.Path(f"/proc/{self.host.pid}/task/{self.host.pid}/children")

        def started():
            if self.host.poll() is not None:
                stop(f"cannot start systemd on this machine: {(self.folder / 'boot.log').read_text()}")
            self.init_process = children.read_text().strip()
            return self.init_process and pathlib.Path(f"/proc/{self.init_process}/comm").read_text().strip() == "systemd"

        until(started, "systemd starts in its own namespaces")
        until(lambda: "multi-user.target" in self.output_of("systemctl", "list-units", "--state=active", "--no-legend", "multi-user.target"),
              "systemd reaches multi-user.target")

    def cut_power(self):
        """Kills all processes at once."""
        os.kill(int(self.init_process), 9)
        # Reaps the commands that ran inside and whose parents are gone.
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
        for group, _, _ in os.walk(self.group, topdown=False):
            os.rmdir(group)

    def command_inside(self, command, user=None):
        """The words of a command that runs `command` inside the test system."""
        return ["nsenter", "-t", self.init_process, "-m", "-p", "-i", "-u", "-C", "-r", "-w", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", *(["runuser", "-u", user, "--"] if user else []), *command]

    def output_of(self, *command):
        return execute(self.command_inside(command)).stdout

    def run(self, *command, user=None, fails=False):
        done = execute(self.command_inside(command, user))
        if (done.returncode != 0) != fails:
            journal = execute(self.command_inside(["journalctl", "-u", SERVICE, "-n", "30", "-o", "cat", "--no-pager"])).stdout
            stop(f"{shlex.join(command)} exited with {done.returncode}:\n{done.stdout}{done.stderr}\nthe journal:\n{journal}")
        return done.stdout + done.stderr

    def path(self, name):
        return self.root / name

    def sallyportd(self, *arguments, **options):
        return self.run("sallyportd", *arguments, "--config", f"/{SETTINGS}", user="sallyport", **options)

    def state(self, name):
        return self.run("systemctl", "show", "--value", "--property", name, SERVICE).strip()

    @property
    def process(self):
        return self.state("MainPID")

    def active(self):
        return self.state("ActiveState") == "active"

    def journal(self):
        return self.run("journalctl", "-u", SERVICE, "-o", "cat", "--no-pager")

    def install(self, file):
        shutil.copy(file, self.path("srv/package.deb"))
        return self.run("dpkg", "--install", "--force-confold", "--force-unsafe-io", "/srv/package.deb")

    def installed(self):
        return self.run("dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Version}", "sallyport")

    def replace_database(self, database):
        """Replaces the database of the stopped server."""
        for old in self.path(DATA).glob("sallyport.db*"):
            old.unlink()
        target = self.path(f"{DATA}/sallyport.db")
        shutil.copy(database, target)
        owner = self.path(DATA).stat()
        os.chown(target, owner.st_uid, owner.st_gid)
        target.chmod(0o600)


def content(database):
    """The content of a database, including expired rows."""
    with tempfile.TemporaryDirectory() as folder:
        for file in database.parent.glob(database.name + "*"):
            shutil.copy(file, folder)
        connection = sqlite3.connect(pathlib.Path(folder) / database.name)
        lines = list(connection.iterdump())
        connection.close()
        return lines


def change(database, *statements):
    connection = sqlite3.connect(database)
    connection.executescript(";".join(statements))
    connection.close()


def first_database(folder, *statements):
    """A database with the schema of the first release, in which the given statements were executed."""
    path = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "sallyport.db"
    change(path, (TESTS / "first-schema.sql").read_text(), *statements)
    return path


def next_version(package, folder):
    """The same package with a later version number. Each call makes the version later."""
    files = folder / "later"
    if not files.exists():
        execute(["dpkg-deb", "--raw-extract", package, files], check=True)
    control = files / "DEBIAN" / "control"
    control.write_text(re.sub(r"(?m)^(Version: .*)$", r"\1+later", control.read_text()))
    execute(["dpkg-deb", "--root-owner-group", "-Znone", "--build", files, folder / "later.deb"], check=True)
    return folder / "later.deb"


def check_unit_hardening(machine):
    # With --offline, systemd-analyze reads only the unit.
    text = execute(["systemd-analyze", "security", "--offline=true", "--json=short", "--no-pager", machine.path(UNIT)], check=True).stdout
    exposed = {item["json_field"] for item in json.loads(text) if not item["set"]}
    check(exposed == EXPOSED, f"the unit has all restrictions that a server can have ({' '.join(sorted(exposed ^ EXPOSED)) or 'as expected'})")
    found = machine.run("systemd-analyze", "verify", f"/{UNIT}")
    check(SERVICE not in found, f"systemd-analyze verifies the unit {found}")


def check_unit_enforcement(machine):
    """Starts a probe with the settings of the unit. The probe tries what these settings forbid."""
    outside = " ".join(f"{kind}={machine.run('readlink', f'/proc/self/ns/{kind}').strip()}" for kind in ("mnt", "ipc", "uts"))
    text = machine.path(UNIT).read_text()
    text = re.sub(r"(?m)^ExecStart=.*$", f"ExecStart=/usr/bin/python3 -I /srv/probe.py {outside}\nStandardOutput=truncate:/srv/found.json", text)
    text = re.sub(r"(?m)^(ExecReload|Restart.*)=.*\n", "", text).replace("Type=notify", "Type=oneshot")
    machine.path("etc/systemd/system/probe.service").write_text(text)
    # The probe must not see these files, because the unit has its own /tmp and /dev.
    machine.run("touch", "/tmp/outside")
    machine.run("mknod", "-m", "666", "/dev/outside", "c", "1", "3")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "probe.service")
    results = json.loads(machine.path("srv/found.json").read_text())
    broken = [name for name, holds in results.items() if not holds]
    check(not broken, f"the unit enforces {' '.join(results)}; not enforced: {' '.join(broken) or 'none'}")


def check_installation(machine, package):
    for _ in range(2):
        machine.install(package)
        status = machine.path(DATA).stat()
        check(status.st_mode & 0o7777 == 0o700 and status.st_uid != 0, "after each of two installations, only the service's user can read the data directory")
    check(list(machine.path(DATA).iterdir()) == [] and not machine.active() and machine.state("UnitFileState") == "disabled",
          "nothing starts and no data is written before the operator sets the issuer")
    machine.run("sallyportd", "check-config", "--config", f"/{SETTINGS}")
    for page in ("sallyport.1", "sallyportd.8", "sallyportd-backup.8"):
        check(machine.path(f"usr/share/man/man{page[-1]}/{page}.gz").exists(), f"there is a manual page {page}")
    check_pages(machine)
    check_unit_hardening(machine)
    check_unit_enforcement(machine)


def check_pages(machine):
    """Checks that operators get all templates and texts, and that these are valid as they are."""
    examples, resources = machine.path("usr/share/doc/sallyport/examples/pages"), ROOT / "Sources/SallyportHTTP/Resources"
    for found, expected in ((examples.glob("*.mustache"), resources.glob("*.mustache")),
                            (examples.glob("languages/*.json"), resources.glob("Languages/*.json"))):
        expected = sorted(path.name for path in expected)
        check(expected and sorted(path.name for path in found) == expected, f"the package contains {len(expected)} files to start from, such as {expected[0]}")
    machine.run("env", "SALLYPORTD_BRANDING_TEMPLATES=/usr/share/doc/sallyport/examples/pages", "sallyportd", "check-config", "--config", f"/{SETTINGS}")


def check_service(machine):
    machine.run("systemctl", "enable", "--now", SERVICE)
    check(machine.active(), "started: the server notifies systemd that it is ready")
    check(machine.path(DATA).stat().st_mode & 0o7777 == 0o700, "only the service's user can still read the data directory")
    process = machine.process
    status = machine.run("cat", f"/proc/{process}/status")
    check(re.search(r"Seccomp:\t2", status) and re.search(r"NoNewPrivs:\t1", status), "the server runs with a filter of system calls and gains no privileges")
    check(re.search(r"CapBnd:\t0{16}", status) and not re.search(r"Uid:.*\t0\b", status), "the server has no capabilities and is not root")
    with urllib.request.urlopen(METADATA, timeout=10) as response:
        check(response.status == 200, "the server responds")
    machine.run("systemctl", "reload", SERVICE)
    until(lambda: machine.active() and machine.state("SubState") == "running", "the server reloads its settings")
    check(machine.process == process, "a reload keeps the process")
    machine.sallyportd("client", "add", "--name", "Kept", "--redirect-uri", "com.example.app:/callback")
    machine.run("kill", "-9", process)
    until(lambda: machine.active() and machine.process not in ("0", process), "the server is restarted after it was killed")
    check("Kept" in machine.sallyportd("client", "list"), "after the kill, acknowledged data is still there")
    check_slow_stop(machine)
    machine.cut_power()
    machine.boot()
    until(machine.active, "the server starts with the system after a power failure")
    check("Kept" in machine.sallyportd("client", "list"), "after the power failure, acknowledged data is still there")


def check_slow_stop(machine):
    """Stops a server whose settings allow more time for the shutdown than the unit does."""
    settings, unit = machine.path(SETTINGS), machine.path(f"etc/systemd/system/{SERVICE}.d/patience.conf")
    before = settings.read_text()
    settings.write_text(before + "\nshutdown: { delay: 3s }\n")
    unit.parent.mkdir()
    unit.write_text("[Service]\nTimeoutStopSec=1\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", SERVICE)
    machine.run("systemctl", "stop", SERVICE)
    check(machine.state("Result") == "success", "systemd waits for a stop that takes longer than the unit allows, but not longer than the settings allow")
    settings.write_text(before)
    shutil.rmtree(unit.parent)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", SERVICE)


def check_upgrades(machine, package, folder):
    database, settings = machine.path(f"{DATA}/sallyport.db"), machine.path(SETTINGS)
    machine.run("systemctl", "stop", SERVICE)
    check(machine.state("Result") == "success", "the server stops with exit code 0")
    machine.replace_database(first_database(folder))
    settings.write_text(settings.read_text() + "\nname: Changed by the operator\n")
    machine.install(next_version(package, folder))
    check("Changed by the operator" in settings.read_text(), "an upgrade keeps the operator's settings")
    check(not machine.active(), "an upgrade does not start a stopped server")
    machine.run("systemctl", "start", SERVICE)
    check("ada" in machine.sallyportd("user", "list") and "notes" in machine.sallyportd("client", "list"),
          "a database of the first release is migrated, and its rows are there")
    check("problem" not in machine.sallyportd("doctor"), "the doctor finds no problem")
    machine.sallyportd("backup", f"/{DATA}/saved")
    check("in use" in machine.sallyportd("restore", f"/{DATA}/saved", "--replace", fails=True), "a backup is not restored while the server runs")

    process = machine.process
    machine.install(next_version(package, folder))
    check(machine.active() and machine.process != process, "an upgrade restarts a running server")

    working = settings.read_text()
    settings.write_text(working + "\nlisten: nowhere\n")
    output = machine.install(next_version(package, folder))
    check("journalctl -u sallyportd" in output and machine.installed().startswith("installed "),
          "an upgrade with invalid settings reports that the server did not start, and leaves the package installed")
    check(machine.state("ActiveState") == "failed" and machine.state("NRestarts") == "0", "the server is not restarted with invalid settings")
    settings.write_text(working)
    machine.run("systemctl", "start", SERVICE)
    machine.run("systemctl", "stop", SERVICE)
    check(not machine.path(f"{DATA}/sallyport.db-wal").exists(), "a server that has stopped leaves a complete database file")
    good = shutil.copy(database, folder / "good.db")

    machine.replace_database(first_database(folder, "CREATE TABLE audit (mine TEXT)"))
    check("audit" in log_of_rejected_start(machine), "a database that cannot be migrated is rejected, and the log says why")
    change(database, "DROP TABLE audit")
    machine.run("systemctl", "start", SERVICE)
    check("ada" in machine.sallyportd("user", "list"), "after the repair, the migration continues, and no data is lost")
    machine.run("systemctl", "stop", SERVICE)

    newer = shutil.copy(good, folder / "newer.db")
    change(newer, "INSERT INTO grdb_migrations VALUES ('99 of the future')")
    machine.replace_database(newer)
    check("newer version of Sallyport" in log_of_rejected_start(machine), "a database of a newer version is rejected, and the log says so")
    check(content(database) == content(newer), "the newer database is unchanged")
    machine.replace_database(good)


def log_of_rejected_start(machine):
    """Starts the server, which must fail without a restart, and returns its log."""
    before = machine.journal()
    machine.run("systemctl", "start", SERVICE, fails=True)
    # If systemd restarted the server, the state would be `activating`.
    check(machine.state("ActiveState") == "failed" and machine.state("ExecMainStatus") == "3", "a server whose data needs manual repair exits with 3 and is not restarted")
    machine.run("systemctl", "reset-failed", SERVICE)
    return machine.journal().removeprefix(before)


def check_removal(machine, package):
    machine.run("systemctl", "start", SERVICE)
    key = machine.path(f"{DATA}/key").read_bytes()
    machine.run("dpkg", "--remove", "sallyport")
    database, settings = machine.path(f"{DATA}/sallyport.db"), machine.path(SETTINGS)
    check(not machine.path("usr/bin/sallyportd").exists() and not machine.active(), "removed: the server is stopped and its program is gone")
    check(any("ada" in line for line in content(database)) and machine.path(f"{DATA}/key").read_bytes() == key and settings.exists()
          and machine.path(f"{DATA}/saved").is_dir(), "data, key, backups, and settings remain")
    machine.install(package)
    check("ada" in machine.sallyportd("user", "list") and machine.state("UnitFileState") == "enabled", "a new installation uses the remaining data and settings")
    machine.run("systemctl", "start", SERVICE)
    machine.run("dpkg", "--purge", "sallyport")
    remaining = [name for name in (DATA, "etc/sallyport", UNIT, "usr/share/doc/sallyport") if machine.path(name).exists()]
    links = [path for path in machine.path("etc/systemd/system").rglob("*sallyport*")]
    check(not remaining and not links and machine.state("LoadState") == "not-found", f"purged: nothing remains {remaining + links or ''}")
    machine.install(package)
    check(list(machine.path(DATA).iterdir()) == [] and machine.state("UnitFileState") == "disabled", "the package can be installed again")


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() != 0:
        stop("this needs root")
    # Starts this script again, inside namespaces of its own.
    if len(sys.argv) == 2:
        spaces = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
        attempt = execute(["unshare", *spaces, "true"])
        if attempt.returncode != 0:
            stop(f"cannot create namespaces on this machine: {attempt.stderr}")
        os.execvp("unshare", ["unshare", *spaces, sys.executable, __file__, str(package), "inside"])
    execute(["ip", "link", "set", "lo", "up"], check=True)
    folder = pathlib.Path(tempfile.mkdtemp())
    mount("tmpfs", folder, "tmpfs")
    machine = Machine(folder)
    machine.boot()
    try:
        check_installation(machine, package)
        check_service(machine)
        check_upgrades(machine, package, folder)
        check_removal(machine, package)
    finally:
        machine.cut_power()


main()
