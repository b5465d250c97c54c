import { ConfirmButton, Failure } from '../ui/index.js';

export interface DeleteButtonProps {
  /** Name of the resource to delete. */
  name: string;
  /** Effect of the deletion, shown in the confirmation dialog. */
  effect: string;
  /** Label of the button. */
  action?: string;
  deletion: { isPending: boolean; error: Error | null };
  onConfirm(): void;
}

/** Button that deletes a resource after a confirmation, and shows the error if the deletion fails. */
export function DeleteButton(props: DeleteButtonProps) {
  const { name, effect, action = 'Delete', deletion, onConfirm } = props;
  return (
    <>
      <ConfirmButton
        kind="danger"
        title={`${action} “${name}”?`}
        question={effect}
        action={action}
        isPending={deletion.isPending}
        onConfirm={onConfirm}
      >
        {action}
      </ConfirmButton>
      {deletion.error !== null && <Failure error={deletion.error} />}
    </>
  );
}
