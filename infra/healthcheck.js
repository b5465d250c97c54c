/** `node infra/healthcheck.js /livez`: exits with code 0 if the service in this container responds with status 200. */
const url = `http://127.0.0.1:${process.env.PORT}${process.argv[2]}`;
const response = await fetch(url, { signal: AbortSignal.timeout(2_500) }).catch(() => undefined);
process.exit(response?.status === 200 ? 0 : 1);
