/** The entry for browsers: vocabulary without schemas and their checks, which would enlarge a page. */
export { dispatchableOutcomes, isEndedStatus, maxCountedMatches } from './vocabulary.js';
