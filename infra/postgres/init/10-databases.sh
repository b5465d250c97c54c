#!/bin/sh
# Runs at the first start only. Creates a database with an owner for Tocsin and for Keycloak, and a user that reads
# statistics. None of the users is a superuser.
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
