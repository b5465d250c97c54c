export { type BroadcastOptions, listenToBroadcasts } from './broadcast.js';
export { type Broker, type BrokerOptions, createBroker } from './connection.js';
export { type Consumer, type ConsumerOptions, createConsumer } from './consumer.js';
export type { QueueMessage } from './in-flight-message.js';
export {
  createPublisher,
  type Publication,
  PublishError,
  type Publisher,
  type PublisherOptions,
} from './publisher.js';
export { createQueueDepth, type QueueDepth } from './queue-depth.js';
export { type Rejection, rejectionOf } from './rejection.js';
export { alertFiredQueue, deliveriesQueue, unroutedExchange, unroutedQueue } from './topology.js';
