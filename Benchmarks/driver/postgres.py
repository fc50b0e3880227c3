"""A PostgreSQL server for the measurements, with the default settings for durability: a commit waits until its log is on disk."""

import glob
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))


class Postgres:
    def __init__(self, folder, settings=()):
        """`settings` are settings of PostgreSQL, each in the form `name=value`."""
        # PostgreSQL refuses to run as root. If this script runs as root, PostgreSQL therefore runs as the user
        # postgres, in a folder that this user can access.
        self.owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] if os.geteuid() == 0 else []
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))[-1]
        # The name is short, because the folder contains PostgreSQL's socket, whose path is limited to 107 bytes.
        self.folder = tempfile.mkdtemp(prefix="sallyport-pg-", dir=folder if not self.owner else "/var/lib/postgresql")
        if self.owner:
            shutil.chown(self.folder, pwd.getpwnam("postgres").pw_uid)
        self.run(f"{self.programs}/initdb", f"--pgdata={self.folder}/data", "--username=postgres", "--auth=trust", "--encoding=UTF8",
                 "--locale=C")
        settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "max_connections=200", "shared_buffers=512MB",
                    "max_wal_size=4GB", *settings]
        with open(f"{self.folder}/log", "wb") as log:
            self.process = subprocess.Popen(
                [*self.owner, f"{self.programs}/postgres", "-D", f"{self.folder}/data", *(f"--{setting}" for setting in settings)],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/")
        for _ in range(300):
            if subprocess.run([f"{self.programs}/pg_isready", "-q", f"--host={self.folder}"], check=False).returncode == 0:
                break
            time.sleep(0.1)
        else:
            raise SystemExit("PostgreSQL does not start")

    def run(self, *words):
        done = subprocess.run([*self.owner, *words], capture_output=True, text=True, cwd="/", check=False)
        if done.returncode != 0:
            raise SystemExit(f"{words[0]}: {done.stderr}")
        return done.stdout

    def create(self, name):
        """Creates a database. Returns its URL."""
        self.sql(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        return f"postgres://postgres@/{name}?host={self.folder}"

    def sql(self, text, database="postgres"):
        return self.run(f"{self.programs}/psql", "-XqtA", f"--host={self.folder}", "--username=postgres", f"--command={text}", database)

    def processor_seconds(self):
        """The processor time of the server and all of its processes, including processes that have ended."""
        # The postmaster is the process that was started. All other processes of the server are its children.
        total, processes = 0, [self.process.pid]
        for name in filter(str.isdigit, os.listdir("/proc")):
            if fields := self._stat(name):
                if int(fields[1]) == self.process.pid:
                    processes.append(int(name))
        for process in processes:
            if fields := self._stat(process):
                # Fields 11 and 12 are the process's own time. Fields 13 and 14 are the time of its children that have
                # ended.
                total += sum(map(int, fields[11:15] if process == self.process.pid else fields[11:13]))
        return total / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _stat(process):
        """The fields of /proc/PID/stat after the program's name: field 0 is the state, and field 1 is the parent
        process. None if the process has ended."""
        try:
            with open(f"/proc/{process}/stat") as file:
                return file.read().rpartition(")")[2].split()
        except OSError:
            return None

    def writes(self):
        """The number of writes to the write-ahead log, plus the number of written pages, since the server started."""
        return int(self.sql("SELECT wal_write + buffers_checkpoint + buffers_clean + buffers_backend FROM pg_stat_wal, pg_stat_bgwriter"))

    def pgbench(self, connections, seconds, script="refresh", variables=()):
        """The number of transactions per second that do what a refresh does: read a row, change two rows, and add one. No OAuth server is
        involved. `script` names a file in Benchmarks/pgbench. Transactions that cannot be serialized are repeated."""
        command = [f"{self.programs}/pgbench", "--no-vacuum", "--protocol=prepared", f"--client={connections}", f"--jobs={min(connections, 2)}",
                   "--max-tries=50", *(f"--define={variable}" for variable in variables), f"--time={max(1, round(seconds))}", f"--file={self.folder}/{script}.sql", f"--host={self.folder}", "--username=postgres"]
        return float(re.search(r"^tps = ([0-9.]+)", self.run(*command, "pgbench"), re.MULTILINE)[1])

    def flush_time(self):
        """How long a flush of the write-ahead log takes, in seconds: a commit that waits for it takes this much longer than one that does not."""
        self.sql("CREATE TABLE flush (id bigserial PRIMARY KEY)")
        times = {}
        for wait in ("on", "off"):
            with open(f"{self.folder}/flush.sql", "w") as file:
                file.write(f"SET synchronous_commit = {wait};\nINSERT INTO flush DEFAULT VALUES;\n")
            output = self.run(f"{self.programs}/pgbench", "--no-vacuum", "--client=1", "--time=3", f"--file={self.folder}/flush.sql",
                              f"--host={self.folder}", "--username=postgres", "postgres")
            times[wait] = 1 / float(re.search(r"^tps = ([0-9.]+)", output, re.MULTILINE)[1])
        return max(times["on"] - times["off"], 0)

    def prepare_pgbench(self):
        self.create("pgbench")
        # refresh.sql is the only script that sets another isolation level.
        self.sql("ALTER DATABASE pgbench SET default_transaction_isolation = serializable")
        with open(f"{here}/../pgbench/tables.sql") as file:
            self.sql(file.read(), "pgbench")
        for script in glob.glob(f"{here}/../pgbench/refresh*.sql"):
            shutil.copy(script, self.folder)
            os.chmod(f"{self.folder}/{os.path.basename(script)}", 0o644)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder)
