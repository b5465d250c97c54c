import { TemplateReference } from './blocks.js';
import { createContext, type Variables } from './context.js';
import { execute } from './execute.js';
import { createRootOutput } from './output.js';
import type { Runtime } from './runtime.js';
import { createScope, enterScope } from './scope.js';

/** Runs a compiled template; throws `RenderFailure` or `OverrunFailure`. */
export function renderTree(runtime: Runtime, variables: Variables): string {
  const { template, globals } = runtime;
  const context = createContext(variables, globals);
  const output = createRootOutput(runtime);
  const scope = createScope(template.symbols, null);
  if (template.selfSlot !== undefined) scope.slots[template.selfSlot] = new TemplateReference(context);
  enterScope(scope, template.symbols, { context, runtime });
  execute(template.body, { runtime, scope, context, output });
  return output.text();
}
