import { createContext, useContext } from 'react';

/** Provides the function that ends the session in the console and at the identity provider. */
export const SignOutContext = createContext<() => void>(() => undefined);

export function useSignOut(): () => void {
  return useContext(SignOutContext);
}
