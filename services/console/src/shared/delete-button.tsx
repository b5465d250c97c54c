import { ConfirmButton, Failure } from '../ui/index.js';

export interface DeleteButtonProps {
  /** Name of the resource to delete. */
  name: string;
  /** Effect of the deletion, shown in the confirmation dialog. */
  effect: string;
  deletion: { isPending: boolean; error: Error | null };
  onConfirm(): void;
}

/** Button that deletes a resource after a confirmation, and shows the error if the deletion fails. */
export function DeleteButton({ name, effect, deletion: { isPending, error }, onConfirm }: DeleteButtonProps) {
  return (
    <>
      <ConfirmButton
        kind="danger"
        title={`Delete “${name}”?`}
        question={effect}
        action="Delete"
        isPending={isPending}
        onConfirm={onConfirm}
      >
        Delete
      </ConfirmButton>
      {error !== null && <Failure error={error} />}
    </>
  );
}
