const pattern = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A text with the values of its variables, or the names of those that are not set. */
export type Substituted = { value: string; unset?: undefined } | { value?: undefined; unset: string[] };

/** Replaces each `${NAME}` by the value of the variable. `$${` stands for the text `${`. */
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

/** True for a text with `${` that begins neither a variable nor an escape. */
export function hasBadVariable(text: string): boolean {
  return text.replaceAll(pattern, '').includes('${');
}
