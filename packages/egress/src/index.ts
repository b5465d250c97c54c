export { type Cidr, parseCidrs } from './address-rules.js';
export { checkHeaders } from './check-headers.js';
export { checkUrl, destinationOf } from './destination.js';
export { createRedactSecrets, type RedactSecrets } from './redact-secrets.js';
export type { BodyNote, SendErrorCode } from './send-failure.js';
export type { HttpResponse, SendError, SendResult } from './send-result.js';
export { createSender, type Sender, type SenderOptions, type SendRequest } from './sender.js';
export { createSigningSecret, signatureHeaders, signingKeyOf, signRequest } from './sign-request.js';
