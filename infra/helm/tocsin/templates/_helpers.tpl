{{- /* Stops the rendering for values that the schema cannot reject with a clear sentence. */ -}}
{{- define "tocsin.validate" -}}
{{- if hasPrefix "registry.example/" .Values.image.repository }}
{{- fail "image.repository is a placeholder. Set it to the image in your registry (docs/operate.md, Kubernetes)." }}
{{- end }}
{{- if and .Values.archive.claim (ne (toString .Values.config.RETENTION_ARCHIVE) "true") }}
{{- fail "archive.claim needs config.RETENTION_ARCHIVE: \"true\". Otherwise workers drop expired days before they are archived." }}
{{- end }}
{{- end }}

{{- define "tocsin.fullname" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) }}
{{- $name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- /* Labels that select pods; they never change. Parameters: root, component (empty: all pods). */ -}}
{{- define "tocsin.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- /* Parameters: root, component. */ -}}
{{- define "tocsin.labels" -}}
{{ include "tocsin.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "tocsin.secretName" -}}
{{- .Values.secret.values | empty | ternary .Values.secret.name (include "tocsin.fullname" .) }}
{{- end }}

{{- define "tocsin.authoritiesName" -}}
{{- .Values.authorities.configMap | default (empty .Values.authorities.pem | ternary "" (printf "%s-authorities" (include "tocsin.fullname" .))) }}
{{- end }}

{{- /* Value of a setting as text. helm reads a whole number as float64, whose text would be 1.048576e+06 for 1048576. */ -}}
{{- define "tocsin.setting" -}}
{{- if kindIs "float64" . }}{{ printf "%.0f" . | quote }}{{ else }}{{ toString . | quote }}{{ end }}
{{- end }}

{{- /* Hashes of configuration and secrets. Kubernetes replaces the pods when a hash changes. */ -}}
{{- define "tocsin.checksums" -}}
checksum/config: {{ toJson .Values.config | sha256sum }}
checksum/authorities: {{ printf "%s%s" .Values.authorities.pem (include "tocsin.dataOf" (dict "root" . "kind" "ConfigMap" "name" .Values.authorities.configMap)) | sha256sum }}
{{- /* The chart's own Secret is not looked up: the cluster still has the values of the last release. */}}
{{- $existing := .Values.secret.values | empty | ternary .Values.secret.name "" }}
checksum/secret: {{ printf "%s%s" (toJson .Values.secret.values) (include "tocsin.dataOf" (dict "root" . "kind" "Secret" "name" $existing)) | sha256sum }}
{{- $files := list }}
{{- range $name := list .Values.tls.databaseSecret .Values.tls.brokerSecret .Values.tls.identityProviderSecret }}
{{- $files = append $files (include "tocsin.dataOf" (dict "root" $ "kind" "Secret" "name" $name)) }}
{{- end }}
checksum/tls: {{ join "" $files | sha256sum }}
{{- end }}

{{- /* Data of an object in the cluster as JSON; `null` where helm has no cluster, as in `helm template`. */ -}}
{{- define "tocsin.dataOf" -}}
{{- if .name }}{{ (lookup "v1" .kind .root.Release.Namespace .name).data | toJson }}{{ end }}
{{- end }}

{{- /* Fields of every pod, except its containers and volumes. */ -}}
{{- define "tocsin.podDefaults" -}}
automountServiceAccountToken: false
serviceAccountName: {{ .Values.serviceAccountName }}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Fields of every container, except its name and command. */ -}}
{{- define "tocsin.containerDefaults" -}}
image: {{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /* Variables from the Secret. Parameters: secret (its name), variables. GENAI_ENGINE_ADMIN_KEY and OTEL_EXPORTER_OTLP_HEADERS may be missing. */ -}}
{{- define "tocsin.secretEnv" -}}
{{- $secret := .secret }}
{{- range .variables }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ . }}{{ if has . (list "GENAI_ENGINE_ADMIN_KEY" "OTEL_EXPORTER_OTLP_HEADERS") }}, optional: true{{ end }} } }
{{- end }}
{{- end }}

{{- /* Volumes of a pod. Parameters: root, folders (a list of authorities, database, broker, identity). */ -}}
{{- define "tocsin.volumes" -}}
{{- $values := .root.Values }}
{{- $names := dict "database" $values.tls.databaseSecret "broker" $values.tls.brokerSecret "identity" $values.tls.identityProviderSecret "authorities" (include "tocsin.authoritiesName" .root) }}
{{- range $folder := .folders }}
{{- with get $names $folder }}
- name: {{ $folder }}
{{- if eq $folder "authorities" }}
  configMap: { name: {{ . }} }
{{- else }}
  # 288 is 0440 in octal: the group of the pod can read the files.
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Mounts of the volumes in tocsin.volumes, at /etc/tocsin/{folder}. Parameters: root, folders. */ -}}
{{- define "tocsin.volumeMounts" -}}
{{- range $volume := include "tocsin.volumes" . | fromYamlArray }}
- { name: {{ $volume.name }}, mountPath: /etc/tocsin/{{ $volume.name }}, readOnly: true }
{{- end }}
{{- end }}

{{- /* Annotations of a hook. Its objects are created before all others, in the order of their weights, and deleted after
the hook has succeeded. Parameter: weight. */ -}}
{{- define "tocsin.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
