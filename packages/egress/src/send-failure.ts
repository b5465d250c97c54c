import type { SendErrorCode } from './send-result.js';

/** Carries a failure that is expected from where it happens to the sender, which returns it as a value. */
export class SendFailure extends Error {
  readonly code: SendErrorCode;

  constructor(code: SendErrorCode, sentence: string, options?: { cause?: unknown }) {
    super(sentence, options);
    this.name = 'SendFailure';
    this.code = code;
  }
}
