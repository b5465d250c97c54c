/**
 * Rules for the imports between files. `npm run check` enforces them. The rules also apply to type imports and to test
 * files.
 *
 * TypeScript 7 has no compiler API, so swc parses the sources. Version 18 of dependency-cruiser needs Node 22, so
 * version 17 is used while Node 20 is supported.
 */

/** Allowed import cycles: files whose functions call each other recursively. */
const recursiveByNature = [
  // Loops, blocks and macros contain statements, which can contain loops, blocks and macros again.
  'packages/template/src/evaluator/(execute|blocks|for-loop|macro)[.]ts',
];

/** Paths of test code. Some rules do not apply to it, because published packages do not contain test code. */
const testCode = '(/test/|[.]test[.]ts$|^infra/checks/)';

/** A violation of any rule is an error, so `npm run check` fails. */
const rules = {
  'no-import-cycles': {
    comment: 'Modules of a cycle cannot be understood or tested alone, and load in an order that surprises.',
    from: {},
    to: { circular: true, via: { pathNot: `^(${recursiveByNature.join('|')})$` } },
  },
  'kit-imports-no-package': {
    comment: 'kit is the lowest layer: it imports no other workspace.',
    from: { path: '^packages/kit/', pathNot: testCode },
    to: { path: '^(packages|services|infra)/', pathNot: '^packages/kit/' },
  },
  'contracts-imports-only-kit': {
    comment: 'contracts describes messages and resources; it may import kit and no other workspace.',
    from: { path: '^packages/contracts/' },
    to: { path: '^(packages|services|infra)/', pathNot: '^packages/(contracts|kit)/' },
  },
  'packages-import-no-service': {
    comment: 'Imports run one way: services -> packages.',
    from: { path: '^packages/', pathNot: testCode },
    to: { path: '^services/' },
  },
  'no-service-imports-another': {
    comment: 'Services share code through packages only.',
    from: { path: '^services/([^/]+)/' },
    to: { path: '^services/', pathNot: '^services/$1/' },
  },
  'only-tools-import-infra': {
    comment: 'infra contains development and release tools. The bench is also such a tool.',
    from: { path: '^(packages|services)/', pathNot: [testCode, '^packages/bench/'] },
    to: { path: '^infra/' },
  },
  'packages-are-entered-through-their-exports': {
    comment: 'A workspace imports another one through index.ts or a subpath that its package.json exports.',
    from: { path: '^((?:packages|services|infra)/[^/]+)/' },
    to: {
      path: '^(packages|infra)/',
      pathNot: ['^$1/', '/src/(index|browser)[.]ts$', '^packages/testing/src/(database|broker)[.]ts$'],
    },
  },
  'test-helpers-stay-in-tests': {
    comment: 'Released code does not import packages/testing.',
    from: {
      path: '^(packages|services)/[^/]+/src/',
      pathNot: [testCode, '^packages/(bench|testing)/'],
    },
    to: { path: '^packages/testing/' },
  },
  'every-import-resolves': {
    comment: 'The other rules apply only to imports that resolve to a file.',
    from: {},
    to: { couldNotResolve: true },
  },
};

module.exports = {
  forbidden: Object.entries(rules).map(([name, rule]) => ({ name, severity: 'error', ...rule })),
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // dependency-cruiser 17 cannot parse JSX with swc, so biome.json contains the import rules for the console's pages.
    exclude: { path: '(^|/)dist/|^services/console/src/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      // Our packages export their TypeScript sources under the condition `tocsin-source`.
      conditionNames: ['tocsin-source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
