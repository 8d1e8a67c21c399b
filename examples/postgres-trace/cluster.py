"""A private PostgreSQL in a temporary folder: no port, no part of the system's clusters, gone afterwards."""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from join import FORKS, Fork, Relation

BIN = Path("/usr/lib/postgresql/15/bin")
USER = "postgres"
DATABASE = "bench"
# Overruled by --set. A throw-away cluster needs no fsync; autovacuum would come when the clock says.
SETTINGS = {"autovacuum": "off", "fsync": "off"}
# Of the caller's own PostgreSQL (PGPORT, PGOPTIONS) nothing may reach this one.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PG")}


class Failed(Exception):
    """One line: what failed and what to do. Exit code 1."""


class Unusable(Exception):
    """One line: what is missing or wrong in the request. Exit code 2."""


def run(command: list[str | Path], what: str, user: str | None = None) -> str:
    """Standard output of a program, or its first error. In a session of its own, so that Ctrl-C comes to this
    script alone, which then ends things in their order."""
    account: dict[str, object] = {"user": user, "group": user, "extra_groups": []} if user else {}
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        cwd="/",
        env=ENVIRONMENT,
        **account,  # type: ignore[call-overload]
    )
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        errors = [line for line in complaint if "error" in line.lower() or "fatal" in line.lower()]
        program = Path(command[0]).name
        raise Failed(f"{what}: {(errors or complaint)[0].removeprefix(f'{program}: error: ')}")
    return str(done.stdout)


class Cluster:
    """Runs from entering to leaving the `with`."""

    def __init__(self, work_dir: str, settings: dict[str, str]) -> None:
        self.settings = {**SETTINGS, **settings}
        self.server: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="leadline-postgres-", dir=work_dir))

    def __enter__(self) -> Cluster:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C leaves nothing behind either
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGQUIT)  # at once: nothing in it is to be kept
            try:
                self.server.wait(20)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self) -> None:
        account = pwd.getpwnam(USER)
        os.chown(self.folder, account.pw_uid, account.pw_gid)
        # A file of its own for the probes. Not in a folder `bin`: the server would look for `lib` beside it.
        shutil.copy(BIN / "postgres", self.folder / "postgres")
        data = self.folder / "data"
        run(
            [BIN / "initdb", "-D", data, "--no-sync", "-A", "trust", "-E", "UTF8", "--locale", "C"],
            "initdb",
            USER,
        )
        command = [str(self.folder / "postgres"), "-D", str(data)]
        # No TCP: the folder of the socket is open to root and the server's user only.
        fixed = {"listen_addresses": "", "port": "5432", "unix_socket_directories": str(self.folder)}
        for name, value in {**self.settings, **fixed}.items():
            command += ["-c", f"{name}={value}"]
        with open(self.folder / "log", "wb") as log:
            self.server = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd="/",
                env=ENVIRONMENT,
                user=USER,
                group=USER,
                extra_groups=[],
            )
        self._wait_until_ready()
        self.sql(f"create database {DATABASE}", "postgres")
        self.database = int(self.sql(f"select oid from pg_database where datname = '{DATABASE}'", "postgres"))

    def _wait_until_ready(self) -> None:
        assert self.server
        for _ in range(300):
            if self.server.poll() is not None:
                log = (self.folder / "log").read_text(errors="replace")
                reason = log.partition("FATAL:")[2].strip() or log.strip() or "it says nothing"
                raise Failed(f"PostgreSQL did not start: {reason.splitlines()[0]}")
            ask = [str(BIN / "pg_isready"), "-q", "-h", str(self.folder)]
            ready = subprocess.run(ask, env=ENVIRONMENT, check=False)
            if ready.returncode == 0:
                return
            time.sleep(0.1)
        raise Failed("PostgreSQL did not start within 30 seconds")

    def client(self, program: str, *arguments: str | Path, what: str | None = None) -> str:
        """Runs a client program on the cluster."""
        return run([BIN / program, "-h", self.folder, "-U", USER, *arguments], what or program)

    def sql(self, statements: str, database: str = DATABASE) -> str:
        """One session; rows as csv without a header."""
        arguments = ("-X", "-q", "--csv", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", statements)
        return self.client("psql", *arguments).strip()

    def wait_until_idle(self) -> None:
        """Until the last client of the database is gone, and with it the last of its counts has arrived."""
        query = (
            "select count(*) from pg_stat_activity"
            f" where datname = '{DATABASE}' and backend_type = 'client backend'"
        )
        for _ in range(100):
            if self.sql(query, "postgres") == "0":
                return
            time.sleep(0.1)
        raise Failed("the workload's sessions did not end within 10 seconds")

    def counted(self) -> int:
        """Page accesses in the database so far by PostgreSQL's own count."""
        query = f"select blks_hit + blks_read from pg_stat_database where datname = '{DATABASE}'"
        return int(self.sql(query, "postgres"))

    def relations(self) -> dict[Fork, Relation]:
        """Every fork of every relation that the catalogue knows, with its size."""
        sizes = ", ".join(
            f"pg_relation_size(c.oid, '{fork}') / current_setting('block_size')::int" for fork in FORKS
        )
        rows = self.sql(f"""select coalesce(nullif(c.reltablespace, 0), d.dattablespace),
                       case when relisshared then 0 else d.oid end, pg_relation_filenode(c.oid),
                       nspname || '.' || relname, {sizes}
                from pg_class c join pg_namespace n on n.oid = relnamespace, pg_database d
                where datname = current_database() and pg_relation_filenode(c.oid) is not null""")
        known: dict[Fork, Relation] = {}
        for tablespace, database, filenode, name, *blocks in csv.reader(rows.splitlines()):
            for fork, size in enumerate(blocks):
                known[Fork(int(tablespace), int(database), int(filenode), fork)] = Relation(name, int(size))
        return known
