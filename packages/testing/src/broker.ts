export { startBrokerProxy } from './broker-proxy.js';
export { createTestBroker, type TestBroker } from './test-broker.js';
