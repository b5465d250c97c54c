import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link, type LinkProps } from 'react-router';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  kind?: Kind;
  children: ReactNode;
}

/** While `isPending`, the button keeps its focus and does not act; its text should say what happens. */
export function Button({ kind = 'plain', ...props }: ButtonProps) {
  return <AriaButton {...props} className="button" data-kind={kind} />;
}

/** A link that looks like a button, for navigation. */
export function LinkButton({ kind = 'plain', ...props }: LinkProps & { kind?: Kind }) {
  return <Link {...props} className="button" data-kind={kind} />;
}
