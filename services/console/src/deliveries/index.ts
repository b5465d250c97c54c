export { DeliveriesPage } from './deliveries-page.js';
export { DeliveryPage } from './delivery-page.js';
