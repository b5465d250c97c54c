import type { Budget } from './budget.js';

interface RenderOptions {
  /** True: printed strings are escaped for the inside of a JSON string. */
  readonly json: boolean;
  /** True: `round` of an undefined value prints nothing. False: it fails, as in Jinja2. */
  readonly lenientRound: boolean;
}

/** The state of one rendering that operations on values need. */
export interface Rendering {
  readonly budget: Budget;
  readonly options: RenderOptions;
  /** True inside of `{% autoescape true %}`, where printed text is escaped for HTML. */
  readonly autoescape: boolean;
  /** Containers that are being printed, to detect a container inside of itself. */
  readonly printing: Set<object>;
}
