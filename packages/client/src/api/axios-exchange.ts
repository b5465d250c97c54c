import axios from 'axios';
import type { Exchange } from './transport.js';

/** No status is an error to axios, and nothing is parsed: the transport decides. */
const http = axios.create({
  responseType: 'text',
  transformResponse: (text: string) => text,
  validateStatus: () => true,
  maxRedirects: 0,
  proxy: false,
});

/** Exchange of Node, for which axios sends headers exactly as given and uses no proxy from the environment. */
export const axiosExchange: Exchange = async ({ body, ...request }) => {
  const { status, headers, data } = await http.request<string>({ ...request, data: body });
  return { status, headers: new Headers(headers as Record<string, string>), text: data };
};
