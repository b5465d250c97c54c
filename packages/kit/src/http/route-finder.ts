import type { HttpMethod } from './route.js';

interface Declared {
  method: HttpMethod;
  /** In OpenAPI's notation, `/things/{thing_id}`. */
  path: string;
}

/**
 * Finds the declared path of a request that is refused before express has looked for its route. Nothing is decoded:
 * an escape that is malformed is no reason to be judged before the credential is.
 */
export function createRouteFinder(
  routes: readonly Declared[],
): (method: string, path: string) => string | undefined {
  const patterns = routes.map((route) => ({ ...route, pattern: patternOf(route.path) }));
  return (method, path) => {
    const asked = method === 'HEAD' ? 'GET' : method;
    return patterns.find((one) => (one.method === asked || one.method === 'ALL') && one.pattern.test(path))
      ?.path;
  };
}

/** As express matches: case counts, a slash at the end does not. */
function patternOf(path: string): RegExp {
  const segments = path.replace(/\/$/, '').split(/\{\w+\}/);
  return new RegExp(`^${segments.map(escapeText).join('[^/]+')}/?$`);
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
