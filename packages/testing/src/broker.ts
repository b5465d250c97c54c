export { startBrokerProxy } from './broker-proxy.js';
export { createTestBroker, secondBroker, type TestBroker } from './test-broker.js';
