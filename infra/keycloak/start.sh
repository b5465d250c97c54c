#!/bin/bash
# Starts Keycloak with one more variable for each file of /run/secrets: its name is the variable, its content the value.
set -euo pipefail
for file in /run/secrets/*; do
  export "${file##*/}=$(<"$file")"
done
exec /opt/keycloak/bin/kc.sh "$@"
