import { members, variables } from './check/unknown-names.js';
import { createGlobals } from './evaluator/globals.js';
import { createFilters } from './filters/filters.js';
import { createJinjaTests } from './jinja-tests/jinja-tests.js';
import { knownTags } from './parser/tag-errors.js';

/** All names that a body can use, for completion in an editor. */
export interface TemplateNames {
  readonly variables: readonly string[];
  /** Names of the members of each object, such as `name` of `model`. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly functions: readonly string[];
  readonly filters: readonly string[];
  readonly tests: readonly string[];
  /** Tags that start a statement. */
  readonly tags: readonly string[];
}

export function templateNames(): TemplateNames {
  return {
    variables,
    members,
    functions: [...createGlobals().keys()].filter((name) => name !== 'lipsum'),
    filters: [...createFilters().keys()],
    tests: [...createJinjaTests().keys()].filter((name) => /^\w+$/.test(name)),
    tags: knownTags,
  };
}
