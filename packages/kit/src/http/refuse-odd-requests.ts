import type { RequestHandler } from 'express';
import { AppError } from '../app-error.js';

/** What Node would answer by itself, with a status and nothing else; `listen` leaves it to the app. */
export const refuseOddRequests: RequestHandler = ({ headers, httpVersion }, _response, next) => {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new AppError('invalid_request', 'The request has no header Host.');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new AppError('invalid_request', 'The header Expect asks for more than 100-continue.');
  }
  next();
};
