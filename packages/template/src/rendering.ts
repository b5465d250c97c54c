import type { Budget } from './budget.js';

interface RenderOptions {
  /** True: printed strings are escaped for the inside of a JSON string. */
  readonly json: boolean;
  /** True: `round` of an undefined value prints nothing. False: it fails, as in Jinja2. */
  readonly lenientRound: boolean;
}

/** The part of the state of a rendering that operations on values need. */
export interface Rendering {
  readonly budget: Budget;
  readonly options: RenderOptions;
  /** True inside `{% autoescape true %}`, where printed text is escaped for HTML. */
  readonly autoescape: boolean;
  /** Containers that are being printed. They are used to detect a container that contains itself. */
  readonly printing: Set<object>;
}
