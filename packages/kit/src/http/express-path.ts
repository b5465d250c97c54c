/** OpenAPI's `/webhooks/{webhook_id}` in express's notation, `/webhooks/:webhook_id`. */
export function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
