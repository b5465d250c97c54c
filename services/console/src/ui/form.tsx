import type { ReactNode } from 'react';

export interface FormProps {
  className?: string;
  onSubmit(): void;
  children: ReactNode;
}

/** Form whose fields the console validates and sends. The browser neither validates nor sends them. */
export function Form({ className = 'stack', onSubmit, children }: FormProps) {
  return (
    <form
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
