"""Checks the files in Packaging/cluster by running the programs that read them, and compares the files with the guides
that quote them."""

import contextlib
import glob
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile

import yaml

from cluster import free_ports, get, wait
from processes import owner

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
FOLDER = f"{ROOT}/Packaging/cluster"
ALERTS = (f"{ROOT}/Packaging/alerts.yml", f"{FOLDER}/alerts.yml")
GUIDES = (f"{ROOT}/docs/guides/running.md", f"{ROOT}/docs/guides/cluster.md")
# A code block that quotes a file has the path in a comment before it.
QUOTATION = re.compile(r"(?<=^<!-- )(Packaging/\S+)( -->\n```\w*\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def read(path):
    with open(path) as file:
        return file.read()


def run(*words, **options):
    """Runs a program. Returns its output, and ends the check if it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def passed(what):
    print(f"cluster: {what}", file=sys.stderr, flush=True)


# Quotations

def quote():
    """Copies the files into the guides."""
    for path in GUIDES:
        text = QUOTATION.sub(lambda match: match[1] + match[2] + read(f"{ROOT}/{match[1]}"), read(path))
        with open(path, "w") as file:
            file.write(text)


def check_quotations():
    guides = [read(path) for path in GUIDES]
    quoted = [match for guide in guides for match in QUOTATION.finditer(guide)]
    for match in quoted:
        if match[3] != read(f"{ROOT}/{match[1]}"):
            raise SystemExit(f"a guide quotes an old version of {match[1]}: run 'Scripts/cluster quote'")
    names = {f"Packaging/cluster/{name}" for name in os.listdir(FOLDER)} | {"Packaging/alerts.yml"}
    for name in names - {match[1] for match in quoted}:
        if not any(f"](../../{name})" in guide for guide in guides):
            raise SystemExit(f"no guide quotes {name} or has a link to it")
    passed("the guides quote the files as they are")


# Programs

class Site:
    """A folder for copies of the files, in which the addresses are replaced by addresses of this machine."""

    def __init__(self, folder, binaries):
        self.folder = folder
        self.binaries = binaries
        self.ports = iter(free_ports(20))
        self.known = {}
        self.processes = []
        user, self.prefix = owner()
        # PostgreSQL and PgBouncer run as this user, and read files in the folder.
        os.chmod(folder, 0o711)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/chain.pem")
        self.write("both.pem", read(f"{folder}/chain.pem") + read(f"{folder}/key.pem"))
        shutil.chown(f"{folder}/key.pem", user)

    def local(self, text):
        """Replaces the addresses of the example with addresses of this machine. Each port is replaced by the same free port
        everywhere."""
        def place(match):
            if match[2] not in self.known:
                self.known[match[2]] = next(self.ports)
            return f"127.0.0.{match[1]}:{self.known[match[2]]}"
        return re.sub(r"10\.0\.0\.(\d+):(\d+)", place, text)

    def write(self, name, text, user=None):
        with open(os.open(f"{self.folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        if user:
            shutil.chown(f"{self.folder}/{name}", user)
        return f"{self.folder}/{name}"

    @staticmethod
    def program(name):
        """The path of a program of the newest version of PostgreSQL."""
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        return f"{folders[-1]}/{name}"

    def start(self, *words, environment=None, name=None):
        with open(f"{self.folder}/{name or os.path.basename(words[0])}.log", "wb") as log:
            self.processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                                   env=os.environ | (environment or {}), start_new_session=True))

    def end(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


def check_settings(site):
    path = site.write("sallyportd.yaml", read(f"{FOLDER}/sallyportd.yaml").replace("/var/lib/sallyport", f"{site.folder}/data"))
    run(f"{site.binaries}/sallyportd", "check-config", "--config", path)
    passed("sallyportd accepts the settings")


def check_unit(site):
    unit = read(f"{ROOT}/Packaging/sallyportd.service").replace("/usr/bin/sallyportd", f"{site.binaries}/sallyportd")
    os.makedirs(f"{site.folder}/units")
    path = site.write("units/sallyportd.service", unit)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False, timeout=60,
                          env=os.environ | {"SYSTEMD_UNIT_PATH": f"{site.folder}/units:"})
    if done.returncode != 0 or "sallyportd" in done.stderr:
        raise SystemExit(f"systemd-analyze verify: {done.stderr}")
    passed("systemd accepts the unit")


def check_balancer(site):
    text = site.local(read(f"{FOLDER}/haproxy.cfg")).replace("/etc/ssl/id.example.com", site.folder)
    run("/usr/sbin/haproxy", "-c", "-f", site.write("haproxy.cfg", text))
    passed("HAProxy accepts its configuration")


def check_alerts():
    run("promtool", "check", "rules", *ALERTS)
    run("promtool", "test", "rules", f"{ROOT}/Tests/Cluster/alerts_test.yml")
    tested = {test["alertname"] for group in yaml.safe_load(read(f"{ROOT}/Tests/Cluster/alerts_test.yml"))["tests"]
              for test in group["alert_rule_test"] if test.get("exp_alerts")}
    if missing := {rule["alert"] for rule in rules()} - tested:
        raise SystemExit(f"no test in alerts_test.yml expects these alerts: {', '.join(sorted(missing))}")
    passed("Prometheus accepts the alerts, and the tests expect each of them")


def rules():
    return [rule for path in ALERTS for group in yaml.safe_load(read(path))["groups"] for rule in group["rules"]]


def check_coordination(site):
    """Runs three etcd servers, which Patroni's check of its configuration connects to."""
    # The settings of the first server. Those of the others differ only in the name and address of the server itself.
    text = read(f"{FOLDER}/etcd.env")
    for number in (1, 2, 3):
        lines = [line if line.startswith("ETCD_INITIAL_CLUSTER=") else
                 line.replace("etcd1", f"etcd{number}").replace("10.0.0.21", f"10.0.0.2{number}")
                 for line in text.splitlines() if not line.startswith("#")]
        environment = dict(site.local(line).split("=", 1) for line in lines)
        site.start("etcd", name=f"etcd{number}", environment=environment | {"ETCD_DATA_DIR": f"{site.folder}/etcd{number}"})
    address = f"127.0.0.21:{site.known['2379']}"
    wait("etcd", lambda: '"true"' in fetch(f"http://{address}/health"))
    run("curl", "--silent", "--fail", f"http://{address}/v2/keys")
    passed("three etcd servers form a cluster and serve version 2 of the API")

    settings = yaml.safe_load(site.local(read(f"{FOLDER}/patroni.yml")))
    os.mkdir(f"{site.folder}/patroni", 0o700)
    settings["postgresql"] |= {"data_dir": f"{site.folder}/patroni", "bin_dir": os.path.dirname(site.program("postgres"))}
    run("/usr/bin/patroni", "--validate-config", site.write("patroni.yml", json.dumps(settings)))
    passed("Patroni accepts its configuration")


def fetch(url):
    """The body of a response; empty if there is none."""
    return subprocess.run(["curl", "--silent", "--max-time", "2", url], check=False, capture_output=True, text=True).stdout


def check_bouncer(site):
    """Runs PgBouncer in front of PostgreSQL, and a server behind it. Checks that the server exposes the metrics of the alerts."""
    user, prefix = owner()
    password, data = secrets.token_urlsafe(), f"{site.folder}/postgres"
    os.mkdir(data)
    shutil.chown(data, user)
    pwfile = site.write("postgres.password", password, user)
    run(*prefix, site.program("initdb"), f"--pgdata={data}/data", "--username=postgres", f"--pwfile={pwfile}", "--auth=scram-sha-256",
        "--encoding=UTF8", "--locale=C", "--no-sync", cwd="/")
    port = next(site.ports)
    site.start(*prefix, site.program("postgres"), "-D", f"{data}/data", f"--port={port}", "--fsync=off", "--listen_addresses=",
               f"--unix_socket_directories={data}", name="postgres")

    def sql(text, database="postgres"):
        done = subprocess.run(["psql", "-XqtAc", text, f"postgres://postgres@/{database}?host={data}&port={port}"], capture_output=True,
                              text=True, check=False, env=os.environ | {"PGPASSWORD": password})
        return done.stdout.strip() if done.returncode == 0 else None

    wait("PostgreSQL", lambda: sql("SELECT 1") == "1")
    sql(f"CREATE ROLE sallyport LOGIN PASSWORD '{password}'")
    sql("CREATE DATABASE sallyport OWNER sallyport ENCODING 'UTF8' TEMPLATE template0")
    secret = sql("SELECT passwd FROM pg_shadow WHERE usename = 'sallyport'")
    bouncer = next(site.ports)
    text = read(f"{FOLDER}/pgbouncer.ini").replace("host=/var/run/postgresql port=5432", f"host={data} port={port}")
    text = text.replace("listen_port = 6432", f"listen_port = {bouncer}").replace("listen_addr = *", "listen_addr = 127.0.0.1")
    text = text.replace("/etc/pgbouncer/userlist.txt", site.write("userlist.txt", f'"sallyport" "{secret}"\n', user))
    text = text.replace("/etc/pgbouncer/", f"{site.folder}/")
    site.start(*prefix, "/usr/sbin/pgbouncer", site.write("pgbouncer.ini", text, user), name="pgbouncer")
    url = f"postgres://sallyport@127.0.0.1:{bouncer}/sallyport?sslmode=verify-full&sslrootcert={site.folder}/chain.pem"
    wait("PgBouncer", lambda: subprocess.run(["psql", "-XqtAc", "SELECT 1", url], check=False, capture_output=True,
                                             env=os.environ | {"PGPASSWORD": password}).returncode == 0)
    metrics = serve(site, url, password)
    passed("a server works behind PgBouncer, over TLS")
    check_metrics(metrics)


def serve(site, url, password):
    """Runs a server. Returns its metrics."""
    port, metrics = next(site.ports), next(site.ports)
    settings = {"issuer": f"http://localhost:{port}", "data": f"{site.folder}/server", "database": url, "listen": {"port": port},
                "metrics": {"port": metrics}}
    site.start(f"{site.binaries}/sallyportd", "serve", "--config", site.write("server.yaml", json.dumps(settings)),
               environment={"PGPASSWORD": password})
    wait("the server", lambda: get(metrics, "/readyz")[0] == 200)
    get(port, "/.well-known/openid-configuration")
    return get(metrics, "/metrics")[1]


def check_metrics(text):
    """Checks that a server exposes each metric of the alerts, with the labels that they select."""
    labels = {}
    # Prometheus adds the label `job` and the metric `up`.
    for name, words in re.findall(r"^([a-z_]+)(?:\{(.*)\})? ", text, re.MULTILINE):
        labels.setdefault(name, {"job"}).update(re.findall(r'(\w+)="', words))
    labels["up"] = {"job"}
    for rule in rules():
        used = re.findall(r"\b((?:sallyport|process|metrics)_[a-z_]+|up)\b(?:\{([^}]*)\})?", rule["expr"])
        if not used:
            raise SystemExit(f"the alert {rule['alert']} uses no metric")
        for name, selector in used:
            if not set(re.findall(r'(\w+)(?:=|!)', selector)) <= labels.get(name, set()) or name not in labels:
                raise SystemExit(f"the alert {rule['alert']} uses {name}{{{selector}}}, which a server does not expose")
    passed("a server exposes each metric of the alerts")


def check_scripts():
    """Checks only the syntax of the scripts. `Scripts/cluster failures` runs them."""
    for name in ("rolling-upgrade", "failover-drill"):
        run("bash", "-n", f"{FOLDER}/{name}")


def check(binaries):
    check_quotations()
    check_scripts()
    check_alerts()
    with tempfile.TemporaryDirectory(prefix="sallyport-packaging-", dir="/tmp") as folder:
        site = Site(folder, os.path.abspath(binaries))
        try:
            for part in (check_settings, check_unit, check_balancer, check_coordination, check_bouncer):
                part(site)
        finally:
            site.end()
