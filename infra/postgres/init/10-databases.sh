#!/bin/sh
# The first start only: a database and an owner each for Tocsin and for Keycloak. Neither is a superuser.
set -eu
for name in tocsin keycloak; do
  if [ "$name" = tocsin ]; then password=$TOCSIN_DB_PASSWORD; else password=$KEYCLOAK_DB_PASSWORD; fi
  psql -v ON_ERROR_STOP=1 -v name="$name" -v password="$password" --username postgres --dbname postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke connect on database :"name" from public;
SQL
done
