import { type RefObject, useEffect, useRef } from 'react';

/**
 * Returns a ref for the element that contains the fields of a form. When `checked` or `rejected` changes, the first
 * invalid field of the element gets the focus, because it may be outside of the window. `checked` is the result of the
 * latest check of the fields, a new object for each check. `rejected` is the error of the latest request.
 */
export function useFocusInvalid<E extends HTMLElement>(
  checked: object,
  rejected: Error | null,
): RefObject<E | null> {
  const container = useRef<E>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs for each new result.
  useEffect(() => {
    container.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [checked, rejected]);
  return container;
}
