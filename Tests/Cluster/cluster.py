"""A cluster on this machine: two PostgreSQL servers that Patroni manages, etcd, three `sallyportd`, and HAProxy in front of them.

The configuration is that of Packaging/cluster, with addresses, files, and passwords of this machine.
"""

import contextlib
import glob
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

import yaml

from processes import Processes, descendants, owner

PACKAGING = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "Packaging", "cluster")
DATABASES = ("db1", "db2")
SERVERS = ("server1", "server2", "server3")
# An additional server that some events (the failures of `Scripts/cluster failures`) start. It knows only one of the
# databases.
PINNED = "pinned"


def packaged(name):
    """The text of a file in Packaging/cluster."""
    with open(f"{PACKAGING}/{name}") as file:
        return file.read()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait(what, condition, timeout=90):
    """Calls `condition` until it returns a true value, and returns this value. Network errors count as false. The timeout is in
    seconds."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, KeyError):
            if value := condition():
                return value
        time.sleep(0.1)
    raise SystemExit(f"timed out after {timeout} s while waiting for {what}")


def get(port, path, timeout=2):
    """The status and the body of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()


class Cluster:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.processes = Processes(self.folder)
        # The programs of the newest installed version of PostgreSQL.
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))[-1]
        self.settings = {}
        if os.path.exists(f"{self.folder}/cluster.json"):
            with open(f"{self.folder}/cluster.json") as file:
                self.settings = json.load(file)

    # Starting and ending

    def create(self, binaries, port=None, gateways=False, previous=None):
        """Chooses ports and a password. With `gateways`, each server reaches the databases through gateway.py, which can
        drop or delay data, and, if the user is root, each database has a small disk of its own. If `previous` names a
        folder with the programs of an earlier version, the servers run those until ``upgrade`` is called."""
        ports = iter(free_ports(30))
        self.settings = {
            "binaries": os.path.abspath(previous or binaries), "upgrade": os.path.abspath(binaries), "password": secrets.token_urlsafe(), "gateways": gateways,
            "port": port or next(ports), "etcd": [next(ports), next(ports)], "control": next(ports),
            "databases": {name: {"port": next(ports), "api": next(ports)} for name in DATABASES},
            "pinned": {"port": next(ports), "metrics": next(ports)},
            "servers": {name: {"port": next(ports), "metrics": next(ports),
                               "gateways": [next(ports) for _ in DATABASES]} for name in SERVERS},
        }
        # PostgreSQL may run as another user, who must reach the folders in this folder.
        os.chmod(self.folder, 0o711)
        self.save()
        self.write("pgpass", f"*:*:*:*:{self.settings['password']}\n")

    def upgrade(self):
        """Makes each server run the current programs when it starts the next time."""
        self.settings["binaries"] = self.settings["upgrade"]
        self.save()

    def save(self):
        self.write("cluster.json", json.dumps(self.settings, indent=2))

    def up(self):
        self.start_etcd()
        for name in DATABASES:
            self.start_database(name)
        wait("a primary with a synchronous standby", self.is_replicated)
        self.sql("CREATE DATABASE sallyport ENCODING 'UTF8' TEMPLATE template0", "postgres")
        if self.settings["gateways"]:
            self.start_gateways()
        for name in SERVERS:
            os.makedirs(f"{self.folder}/{name}", mode=0o700, exist_ok=True)
            if name != SERVERS[0]:
                # All servers need the same key file. The first server has created it.
                shutil.copy(f"{self.folder}/{SERVERS[0]}/key", f"{self.folder}/{name}/key")
            self.start_server(name)
            wait(f"{name} to be ready", lambda name=name: self.is_ready(name))
        self.start_balancer()
        wait("the load balancer", lambda: get(self.settings["port"], "/.well-known/openid-configuration")[0] == 200)

    def down(self):
        names = self.processes.names()
        # The servers end before the databases, so that they log no errors. Patroni ends its PostgreSQL server.
        for name in sorted(names, key=lambda name: ("balancer", *SERVERS, PINNED, "gateways", *DATABASES, "etcd").index(name)):
            # A stopped process would not handle SIGTERM.
            self.processes.signal(name, signal.SIGCONT)
            self.processes.end(name)
        for name in DATABASES:
            # If Patroni was killed, PostgreSQL still runs.
            for process in self.postgres(name):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            if os.path.ismount(f"{self.folder}/{name}"):
                # Processes that were just killed can still use the disk.
                wait(f"the disk of {name} to be unmounted",
                     lambda name=name: subprocess.run(["umount", f"{self.folder}/{name}"], check=False, capture_output=True).returncode == 0)
        shutil.rmtree(self.folder)

    def start_etcd(self):
        client, peer = (f"http://127.0.0.1:{port}" for port in self.settings["etcd"])
        self.processes.start("etcd", [
            "etcd", "--name=etcd", "--enable-v2", f"--data-dir={self.folder}/etcd", f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=etcd={peer}"])
        wait("etcd", lambda: get(self.settings["etcd"][0], "/health")[0] == 200)

    def start_database(self, name):
        """Starts Patroni, which starts PostgreSQL."""
        # PostgreSQL refuses to run as root. For root, `prefix` is a command that runs Patroni as `user`.
        user, prefix = owner()
        data = f"{self.folder}/{name}"
        if not os.path.exists(data):
            os.mkdir(data)
            if self.settings["gateways"] and prefix:
                # A small disk of its own, so that an event can fill it.
                subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", data], check=True)
            shutil.chown(data, user)
            self.write(f"{name}.yml", json.dumps(self.patroni(name), indent=2), user)
        self.processes.start(name, [*prefix, "/usr/bin/patroni", f"{self.folder}/{name}.yml"], {"HOME": data})

    def patroni(self, name):
        """Patroni's configuration, which is written as JSON. JSON is also YAML."""
        ports = self.settings["databases"][name]
        login = {"password": self.settings["password"]}
        settings = yaml.safe_load(packaged("patroni.yml"))
        # Little write-ahead log and memory, because the disk of a database can have only 1 GiB.
        settings["bootstrap"]["dcs"]["postgresql"]["parameters"] |= {
            "max_wal_size": "128MB", "min_wal_size": "64MB", "wal_keep_size": "64MB", "shared_buffers": "64MB"}
        return settings | {
            "name": name, "etcd": {"host": f"127.0.0.1:{self.settings['etcd'][0]}"},
            "restapi": {"listen": f"127.0.0.1:{ports['api']}", "connect_address": f"127.0.0.1:{ports['api']}"},
            "postgresql": {
                "listen": f"127.0.0.1:{ports['port']}", "connect_address": f"127.0.0.1:{ports['port']}",
                "data_dir": f"{self.folder}/{name}/data", "bin_dir": self.programs, "pgpass": f"{self.folder}/{name}/pgpass",
                "authentication": {key: value | login for key, value in settings["postgresql"]["authentication"].items()},
                "parameters": {"unix_socket_directories": "", "password_encryption": "scram-sha-256"},
                "pg_hba": ["host all all 127.0.0.1/32 scram-sha-256", "host replication replicator 127.0.0.1/32 scram-sha-256"],
            },
        }

    def postgres(self, name):
        """The processes of a PostgreSQL server, which are not descendants of Patroni. The list is empty if the server does not run."""
        with contextlib.suppress(OSError, ValueError):
            with open(f"{self.folder}/{name}/data/postmaster.pid") as file:
                identifier = int(file.readline())
            if os.readlink(f"/proc/{identifier}/cwd") == f"{self.folder}/{name}/data":
                return descendants(identifier)
        return []

    def signal_database(self, name, number):
        """Sends a signal to Patroni and PostgreSQL."""
        self.processes.signal(name, number)
        for process in self.postgres(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def kill_database(self, name):
        """Kills Patroni and PostgreSQL at the same time, as the loss of their machine would. First stops all their processes, so
        that none reacts to the end of another."""
        self.signal_database(name, signal.SIGSTOP)
        # PostgreSQL may have started a process since the processes were listed for the first signal.
        for process in self.postgres(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.processes.kill(name)

    def start_gateways(self):
        """Starts the program that can drop and delay data between the servers and the databases."""
        words = [f"{server}:{port}:{self.settings['databases'][database]['port']}"
                 for server in SERVERS for database, port in zip(DATABASES, self.settings["servers"][server]["gateways"])]
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gateway.py")
        self.processes.start("gateways", [sys.executable, program, str(self.settings["control"]), *words])
        wait("the gateways", lambda: self.gateway("pass", *SERVERS))

    def gateway(self, mode, *servers):
        """Sets what happens to the data between servers and databases: `pass`, `block`, or a delay in seconds."""
        with socket.create_connection(("127.0.0.1", self.settings["control"]), timeout=5) as control:
            control.sendall(f"{mode} {' '.join(servers)}\n".encode())
            return control.recv(1) == b"+"

    def database_url(self, server=None):
        """The URL of the databases. If a server is named and the cluster has gateways, the URL leads through the server's gateways."""
        if self.settings["gateways"] and server:
            ports = self.settings["servers"][server]["gateways"]
        else:
            ports = [self.settings["databases"][name]["port"] for name in DATABASES]
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgres://postgres@{hosts}/sallyport?passfile={self.folder}/pgpass"

    @property
    def issuer(self):
        return f"http://localhost:{self.settings['port']}"

    def start_server(self, name):
        ports = self.settings["servers"][name]
        # BaseLoader reads all values as text. By default, YAML 1.1 reads `off` without quotation marks as a Boolean.
        settings = yaml.load(packaged("sallyportd.yaml"), Loader=yaml.BaseLoader)
        self.write(f"{name}.yaml", json.dumps(settings | {
            "issuer": self.issuer, "data": f"{self.folder}/{name}", "database": self.database_url(name),
            "listen": {"port": ports["port"]}, "proxies": ["127.0.0.1"], "metrics": {"port": ports["metrics"]}}))
        self.processes.start(name, [f"{self.settings['binaries']}/sallyportd", "serve", "--config", f"{self.folder}/{name}.yaml"])

    def restart_server(self, name):
        self.processes.end(name)
        self.start_server(name)

    def start_pinned_server(self, database):
        """Starts an additional server, which knows only this database."""
        ports = self.settings["pinned"]
        folder = f"{self.folder}/{PINNED}"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        shutil.copy(f"{self.folder}/{SERVERS[0]}/key", f"{folder}/key")
        url = f"postgres://postgres@127.0.0.1:{self.settings['databases'][database]['port']}/sallyport?passfile={self.folder}/pgpass"
        settings = yaml.load(packaged("sallyportd.yaml"), Loader=yaml.BaseLoader)
        self.write(f"{PINNED}.yaml", json.dumps(settings | {
            "issuer": self.issuer, "data": folder, "database": url, "listen": {"port": ports["port"]}, "proxies": ["127.0.0.1"],
            "metrics": {"port": ports["metrics"]}}))
        self.processes.start(PINNED, [f"{self.settings['binaries']}/sallyportd", "serve", "--config", f"{self.folder}/{PINNED}.yaml"])
        wait("the additional server", lambda: get(ports["metrics"], "/readyz")[0] == 200)

    def start_balancer(self):
        """Starts HAProxy, which prefers servers that are ready. If no server is ready, HAProxy uses all of them, because they
        still publish metadata, and respond to other requests with Retry-After."""
        text = re.sub(r"bind :443.*", f"bind 127.0.0.1:{self.settings['port']}", packaged("haproxy.cfg"))
        for number, ports in enumerate(self.settings["servers"].values(), 1):
            text = text.replace(f"10.0.0.{number}:8080 check port 9464", f"127.0.0.1:{ports['port']} check port {ports['metrics']}")
            text = text.replace(f"10.0.0.{number}:8080", f"127.0.0.1:{ports['port']}")
        self.write("haproxy.cfg", f"global\n  maxconn 4000\n{text}")
        self.processes.start("balancer", ["/usr/sbin/haproxy", "-db", "-f", f"{self.folder}/haproxy.cfg"])

    def write(self, name, text, user=None):
        """Writes a file that only its owner can read. `user` becomes the owner."""
        with open(os.open(f"{self.folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        if user:
            shutil.chown(f"{self.folder}/{name}", user)

    # State

    def sallyportd(self, *words, text=""):
        """Runs an operator's command. Returns its output."""
        done = subprocess.run([f"{self.settings['binaries']}/sallyportd", *words, "--data", f"{self.folder}/{SERVERS[0]}", "--database",
                               self.database_url()], input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"sallyportd {' '.join(words[:2])}: {done.stderr}")
        return done.stdout

    def sql(self, text, database="sallyport", name=None, timeout=60):
        """Runs SQL on the primary, or on the database with this name."""
        ports = [self.settings["databases"][each]["port"] for each in ([name] if name else DATABASES)]
        url = (f"postgres://postgres@{','.join(f'127.0.0.1:{port}' for port in ports)}/{database}"
               f"?connect_timeout=2&target_session_attrs={'any' if name else 'read-write'}")
        done = subprocess.run(["psql", "-XqtAc", text, url], capture_output=True, text=True, check=False, timeout=timeout,
                              env=os.environ | {"PGPASSFILE": f"{self.folder}/pgpass"})
        if done.returncode != 0:
            # `wait` tries again after an OSError.
            raise OSError(done.stderr)
        return done.stdout.strip()

    def is_ready(self, name):
        return get(self.settings["servers"][name]["metrics"], "/readyz")[0] == 200

    def role(self, name):
        """The role of a database according to Patroni, such as `primary` or `replica`, or `None` if it does not run."""
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            state = json.loads(get(self.settings["databases"][name]["api"], "/patroni", timeout=1)[1])
            if state["state"] == "running":
                return "primary" if state["role"] in ("master", "primary") else state["role"]
        return None

    def primary(self):
        return next((name for name in DATABASES if self.role(name) == "primary"), None)

    def is_replicated(self):
        """Whether a standby confirms the commits of the primary."""
        state = self.sql("SELECT string_agg(sync_state, ',') FROM pg_stat_replication WHERE state = 'streaming'", "postgres")
        return state == "sync"
