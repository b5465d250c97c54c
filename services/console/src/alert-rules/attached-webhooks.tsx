import type { AlertRule, Webhook } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { useAlertRuleActions, usePermission, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { AttachList } from '../shared/attach-list.js';
import { Card, Failure, LinkButton, Loading, Notice } from '../ui/index.js';

/** Lists the webhooks that are attached to a rule, and the other webhooks, which users can attach. */
export function AttachedWebhooks({ rule }: { rule: AlertRule }) {
  const { data, error } = useWebhooks();
  const update = usePermission('alert_rule_update');
  const create = usePermission('workspace_create_webhook');
  const { attach } = useAlertRuleActions();
  const paths = usePaths();
  const ids = rule.notification_webhook_ids;
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  const onChange = (webhookId: string, isAttached: boolean) =>
    attach.mutate({ ruleId: rule.id, webhookId, attach: isAttached });
  return (
    <Card title="Webhooks of this rule">
      {data === undefined && (error === null ? <Loading what="the webhooks" /> : <Failure error={error} />)}
      {ids.length === 0 && (
        <p>
          {data?.length === 0
            ? 'No webhook exists yet.'
            : 'None yet: its alerts are recorded, and nothing is sent.'}
        </p>
      )}
      {!update.allowed && <Notice>{`Attaching is not available to you. ${update.reason}`}</Notice>}
      {attach.error !== null && <Failure error={attach.error} />}
      {data !== undefined && (
        <AttachList
          things="webhooks"
          attached={data.filter(({ id }) => ids.includes(id)).map(toEntry)}
          others={data.filter(({ id }) => !ids.includes(id)).map(toEntry)}
          linkTo={(id) => <Link to={paths.webhook(id)}>{names.get(id)}</Link>}
          pendingId={attach.isPending ? attach.variables.webhookId : undefined}
          onChange={update.allowed ? onChange : undefined}
        />
      )}
      {data?.length === 0 && create.allowed && (
        <div>
          <LinkButton to={paths.newWebhook()}>New webhook</LinkButton>
        </div>
      )}
    </Card>
  );
}

function toEntry({ id, name, url, enabled }: Webhook) {
  const origin = URL.canParse(url) ? new URL(url).origin : url;
  return { id, name, detail: enabled ? origin : `${origin}, disabled` };
}
