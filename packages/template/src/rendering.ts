import type { Budget } from './budget.js';

interface RenderOptions {
  /** If true, printed strings are escaped for the inside of a JSON string. */
  readonly json: boolean;
  /** If true, `round` of an undefined value prints nothing. Otherwise it fails, as in Jinja2. */
  readonly lenientRound: boolean;
}

/** State of a rendering that operations on values need. `Runtime` adds the state that the evaluator needs. */
export interface Rendering {
  readonly budget: Budget;
  readonly options: RenderOptions;
  /** True inside `{% autoescape true %}`, where printed text is escaped for HTML. */
  readonly autoescape: boolean;
  /** Containers that are being printed. They are used to detect a container that contains itself. */
  readonly printing: Set<object>;
}
