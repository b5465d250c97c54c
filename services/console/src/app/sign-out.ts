import { createContext, useContext } from 'react';

/** Ends the session here and at the provider. */
export const SignOutContext = createContext<() => void>(() => undefined);

export function useSignOut(): () => void {
  return useContext(SignOutContext);
}
