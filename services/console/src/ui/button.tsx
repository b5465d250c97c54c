import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link, type LinkProps } from 'react-router';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  kind?: Kind;
  children: ReactNode;
}

/**
 * While `isPending`, the button keeps its focus and does not act; its text should say what happens. React Aria's own
 * `isPending` announces the text by an element that outlives the button and then has no name.
 */
export function Button({ kind = 'plain', isPending = false, ...props }: ButtonProps) {
  const { onPress, type = 'button', ...rest } = props;
  const acts = isPending
    ? ({ 'aria-disabled': true, type: 'button' } as const)
    : { type, ...(onPress && { onPress }) };
  return <AriaButton {...rest} {...acts} className="button" data-kind={kind} />;
}

/** A link that looks like a button, for navigation. */
export function LinkButton({ kind = 'plain', ...props }: LinkProps & { kind?: Kind }) {
  return <Link {...props} className="button" data-kind={kind} />;
}
