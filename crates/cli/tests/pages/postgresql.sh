# A PostgreSQL server of the test's own, for pages whose blocks need `postgresql-server`: psql finds it without
# being told where, `sudo` and `systemctl restart postgresql` reach it. As root it runs as postgres.
programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
sockets=$(mktemp -d /tmp/leadline-page-XXXXXX)
cluster=$own/postgresql/data
as=
if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
mkdir "$own/postgresql"
if [ -n "$as" ]; then chown postgres "$own/postgresql" "$sockets"; fi
(
    cd /
    $as "$programs/initdb" --pgdata="$cluster" --username=postgres --auth=trust --no-sync
    # As Debian has it.
    $as mkdir "$cluster/conf.d"
    $as sh -c "echo \"include_dir = 'conf.d'\" >>'$cluster/postgresql.conf'"
    cat >"$bin/systemctl" <<END
#!/bin/sh
[ "\$*" = "restart postgresql" ] || exit 2
cd / && exec $as "$programs/pg_ctl" --pgdata="$cluster" --wait --log="$cluster/log" \
    --options="-c listen_addresses= -k $sockets" restart
END
    printf '#!/bin/sh\n[ "$1" != -u ] || shift 2\nexec "$@"\n' >"$bin/sudo"
    chmod +x "$bin/systemctl" "$bin/sudo"
    "$bin/systemctl" restart postgresql
) >"$own/postgresql.printed" 2>&1
end_server() {
    (cd / && $as "$programs/pg_ctl" --pgdata="$cluster" --mode=immediate stop)
    rm -r "$sockets"
}
export PGHOST="$sockets" PGUSER=postgres
