import axios from 'axios';
import type { HttpSend } from './transport.js';

/**
 * An axios instance that accepts every status and does not parse bodies. The transport checks the status and parses the
 * body.
 */
const http = axios.create({
  responseType: 'text',
  transformResponse: (text: string) => text,
  validateStatus: () => true,
  maxRedirects: 0,
  proxy: false,
});

/** Sends one HTTP request from Node. Ignores proxy variables in the environment, such as `HTTPS_PROXY`. */
export const axiosSend: HttpSend = async ({ body, ...request }) => {
  const { status, headers, data } = await http.request<string>({ ...request, data: body });
  return { status, headers: new Headers(headers as Record<string, string>), text: data };
};
