export { type Cidr, parseCidrs } from './address-rules.js';
export { checkHeaders, type HeaderProblem } from './check-headers.js';
export { checkUrl } from './check-url.js';
export { destinationOf } from './destination.js';
export type { BodyNote, HttpResponse, SendError, SendErrorCode, SendResult } from './send-result.js';
export { createSender, type Sender, type SenderOptions, type SendRequest } from './sender.js';
