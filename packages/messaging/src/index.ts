export { type BroadcastOptions, listenToBroadcasts } from './broadcast.js';
export { type Broker, type BrokerOptions, createBroker } from './connection.js';
export { type Consumer, type ConsumerOptions, createConsumer, type Incoming } from './consumer.js';
export {
  createPublisher,
  type Publication,
  PublishError,
  type Publisher,
  type PublisherOptions,
} from './publisher.js';
export { alertFiredQueue, deliveriesQueue, unroutedQueue } from './topology.js';
