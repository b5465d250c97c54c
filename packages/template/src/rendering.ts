import type { Budget } from './budget.js';

interface RenderOptions {
  /** Strings that are printed are escaped for the inside of a JSON string. */
  readonly json: boolean;
  /** `round` of an undefined value prints nothing, where Jinja2 fails. */
  readonly lenientRound: boolean;
}

/** The state of one rendering that operations on values need. */
export interface Rendering {
  readonly budget: Budget;
  readonly options: RenderOptions;
  /** Inside `{% autoescape true %}`: printed text is escaped for HTML. */
  readonly autoescape: boolean;
  /** Containers that are being printed, to find one inside itself. */
  readonly printing: Set<object>;
}
