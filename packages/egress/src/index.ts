export { type Cidr, parseCidrs } from './address-rules.js';
export { checkHeaders } from './check-headers.js';
export { checkUrl, destinationOf } from './destination.js';
export { type EgressSettings, readEgressSettings } from './egress-settings.js';
export { createRedactSecrets, type RedactSecrets } from './redact-secrets.js';
export type { BodyNote, SendErrorCode } from './send-failure.js';
export type { HttpResponse, SendError, SendResult } from './send-result.js';
export { createSender, type Sender, type SenderOptions, type SendRequest } from './sender.js';
export { addedHeaders, createSigningSecret, signatureHeaders, signingKeyOf } from './sign-request.js';
