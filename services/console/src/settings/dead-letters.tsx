import type { DeadLetter } from '@tocsin/client/browser';
import { useDeadLetters, usePermission, useRequeueDeadLetter } from '../api/index.js';
import { LiveListState } from '../shared/live-list-state.js';
import { Button, CodeBlock, Empty, Failure, RelativeTime } from '../ui/index.js';

const reasonWords: Readonly<Record<DeadLetter['reason'], string>> = {
  malformed_message: 'The message is not JSON',
  invalid_message: 'The message is not a valid alert',
  unknown_alert_rule: 'The alert rule is unknown',
  unrouted: 'No queue accepted the message',
};

export interface DeadLettersProps {
  scope: 'workspace' | 'deployment';
}

export function DeadLetters({ scope }: DeadLettersProps) {
  const list = useDeadLetters(scope);
  return (
    <LiveListState
      list={list}
      things="dead letters"
      isFiltered={false}
      empty={<Empty title="No dead letters">Every message that arrived could be processed.</Empty>}
    >
      <ul className="dead-letters">
        {list.items.map((letter) => (
          <li key={letter.id}>
            <Letter letter={letter} />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button onPress={list.loadMore}>{list.isLoadingMore ? 'Loading …' : 'Show more'}</Button>
      )}
    </LiveListState>
  );
}

function Letter({ letter }: { letter: DeadLetter }) {
  const { id, reason, detail, message, encoding, queue, truncated, created_at, requeued_at } = letter;
  const requeue = useRequeueDeadLetter();
  const permission = usePermission('dead_letter_requeue');
  const text = encoding === 'json' ? JSON.stringify(message, null, 2) : String(message);
  return (
    <details>
      <summary>
        {reasonWords[reason] ?? reason}, <RelativeTime at={created_at} />
        {requeued_at !== null && (
          <span className="muted">
            , requeued <RelativeTime at={requeued_at} />
          </span>
        )}
      </summary>
      <div className="stack">
        <p>{detail}</p>
        <CodeBlock
          label={`Message from the queue ${queue}${truncated ? ', truncated' : ''} (${encoding})`}
          text={text}
        />
        {permission.allowed ? (
          <div>
            <Button isPending={requeue.isPending} onPress={() => requeue.mutate(id)}>
              {requeue.isPending ? 'Requeueing …' : 'Requeue'}
            </Button>
          </div>
        ) : (
          <p className="muted">{`Requeueing is not available to you. ${permission.reason}`}</p>
        )}
        {requeue.error !== null && <Failure error={requeue.error} />}
      </div>
    </details>
  );
}
