import type { RequestHandler } from 'express';
import { AppError } from '../app-error.js';

export const maxHeaderLines = 200;

/** What is beyond the server's limit Node leaves out without a word, and that may be the credential. */
export const refuseManyHeaders: RequestHandler = ({ rawHeaders }, _response, next) => {
  if (rawHeaders.length > 2 * maxHeaderLines) {
    throw new AppError('headers_too_large', `The request has more than ${maxHeaderLines} header lines.`);
  }
  next();
};
