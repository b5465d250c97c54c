/** The members of package-lock.json that are checked. */
export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  version?: string;
  integrity?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

/**
 * Returns one sentence for each installed package without an integrity hash, and for each optional dependency without
 * an entry. npm omits the entries of optional packages that the current registry does not have. `npm ci` then fails on
 * the platforms of these packages.
 */
export function findLockfileProblems({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const isInstalled = path.includes('node_modules/') && entry.link !== true;
    const missing = Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    );
    return [
      ...(isInstalled && entry.integrity === undefined ? [`${path} has no integrity.`] : []),
      ...missing.map((name) => `${name}, an optional dependency of ${path}, has no entry.`),
    ];
  });
}
