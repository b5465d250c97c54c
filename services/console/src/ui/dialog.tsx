import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, type ButtonProps } from './button.js';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose(): void;
  /** `alertdialog` for a question that the user must answer. */
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
  /** Buttons below the content. The button that confirms the action is last. */
  actions?: ReactNode;
}

/** Modal dialog. Focus stays inside. Escape or a click outside closes the dialog and restores the previous focus. */
export function Dialog({ title, isOpen, onClose, role = 'dialog', children, actions }: DialogProps) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="dialog">
        <AriaDialog role={role}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
          {actions !== undefined && <div className="actions">{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmButtonProps extends Omit<ButtonProps, 'onPress'> {
  /** Title as a question, for example `Delete the webhook?`. */
  title: string;
  /** Description of what the action does, shown below the title. */
  question: ReactNode;
  /** Label of the confirming button, for example `Delete`. */
  action: string;
  onConfirm(): void;
}

/** Button that asks for confirmation before it acts. */
export function ConfirmButton({ title, question, action, onConfirm, ...button }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button {...button} onPress={() => setOpen(true)} />
      <Dialog
        title={title}
        isOpen={isOpen}
        onClose={close}
        role="alertdialog"
        actions={
          <>
            <Button onPress={close}>Cancel</Button>
            <Button
              kind={button.kind === 'danger' ? 'danger' : 'primary'}
              onPress={() => {
                close();
                onConfirm();
              }}
            >
              {action}
            </Button>
          </>
        }
      >
        <div>{question}</div>
      </Dialog>
    </>
  );
}
