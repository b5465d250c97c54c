/** Stands where a reader may not see what could be a credential. */
export const hidden = '[hidden]';
