import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link, type LinkProps } from 'react-router';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  kind?: Kind;
  children: ReactNode;
}

/**
 * While `isPending` is true, the button ignores presses and keeps its focus, and its text should name the running
 * action. The property `isPending` of React Aria is not used, because React Aria announces the text through a second
 * element, which has no accessible name after the button is removed.
 */
export function Button({ kind = 'plain', isPending = false, ...props }: ButtonProps) {
  const { onPress, type = 'button', ...rest } = props;
  const acts = isPending
    ? ({ 'aria-disabled': true, type: 'button' } as const)
    : { type, ...(onPress && { onPress }) };
  return <AriaButton {...rest} {...acts} className="button" data-kind={kind} />;
}

/** A link for navigation that looks like a button. */
export function LinkButton({ kind = 'plain', ...props }: LinkProps & { kind?: Kind }) {
  return <Link {...props} className="button" data-kind={kind} />;
}
