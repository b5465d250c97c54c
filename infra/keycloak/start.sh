#!/bin/bash
# Starts Keycloak with one additional variable for each file in /run/secrets. The file name is the variable name, and
# the content is its value.
set -euo pipefail
for file in /run/secrets/*; do
  export "${file##*/}=$(<"$file")"
done
exec /opt/keycloak/bin/kc.sh "$@"
