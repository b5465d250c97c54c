import type { ReactNode, Ref } from 'react';

export interface FormProps {
  className?: string;
  ref?: Ref<HTMLFormElement>;
  onSubmit(): void;
  children: ReactNode;
}

/** Form whose fields the console validates and sends. The browser neither validates nor sends them. */
export function Form({ className = 'stack', ref, onSubmit, children }: FormProps) {
  return (
    <form
      ref={ref}
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
