export { startTcpProxy, type TcpProxy } from './testing/tcp-proxy.js';
export { until } from './testing/until.js';
