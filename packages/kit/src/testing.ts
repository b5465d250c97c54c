export { startTcpProxy, type TcpProxy } from './testing/tcp-proxy.js';
