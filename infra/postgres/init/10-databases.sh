#!/bin/sh
# Runs at the first start of PostgreSQL only. Creates one database for Tocsin and one for Keycloak. Each is owned by a
# user with the name of the database. The user `metrics` is created too and can read statistics. None of these users is
# a superuser.
set -eu
for name in tocsin keycloak; do
  psql -v ON_ERROR_STOP=1 -v name="$name" -v password="$(cat "/run/secrets/${name}_db_password")" --username postgres --dbname postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke connect on database :"name" from public;
SQL
done
psql -v ON_ERROR_STOP=1 -v password="$(cat /run/secrets/metrics_db_password)" --username postgres --dbname postgres <<'SQL'
create role metrics login password :'password' connection limit 5 in role pg_monitor;
SQL
