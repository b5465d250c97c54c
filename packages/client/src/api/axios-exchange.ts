import axios from 'axios';
import type { Exchange } from './transport.js';

/**
 * Options with which axios accepts every status and does not parse bodies. The transport checks the status and parses
 * the body.
 */
const http = axios.create({
  responseType: 'text',
  transformResponse: (text: string) => text,
  validateStatus: () => true,
  maxRedirects: 0,
  proxy: false,
});

/** Sends one HTTP request from Node. The environment's proxy variables are ignored. */
export const axiosExchange: Exchange = async ({ body, ...request }) => {
  const { status, headers, data } = await http.request<string>({ ...request, data: body });
  return { status, headers: new Headers(headers as Record<string, string>), text: data };
};
