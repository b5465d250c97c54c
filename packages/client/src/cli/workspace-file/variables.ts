const pattern = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Result of `substitute`: the text in which values replace the variables, or the names of the variables that are not
 * set.
 */
export type Substituted = { value: string; unset?: undefined } | { value?: undefined; unset: string[] };

/** Replaces each `${NAME}` by the value of the variable, and the escape `$${` by `${`. */
export function substitute(text: string, env: NodeJS.ProcessEnv): Substituted {
  const unset: string[] = [];
  const value = text.replaceAll(pattern, (_, name?: string) => {
    if (name === undefined) return '${';
    const given = Object.hasOwn(env, name) ? env[name] : undefined;
    if (given === undefined) unset.push(name);
    return given ?? '';
  });
  return unset.length > 0 ? { unset } : { value };
}

/** Returns true if the text contains a `${` that is neither the start of a valid variable nor escaped. */
export function hasBadVariable(text: string): boolean {
  return text.replaceAll(pattern, '').includes('${');
}
