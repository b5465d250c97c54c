import type { Alert } from '@tocsin/client/browser';
import { usePastAlerts, usePermission } from '../api/index.js';
import { Failure, formatExact, Loading, SelectField } from '../ui/index.js';

export interface PastAlertFieldProps {
  label: string;
  /** The chosen alert, or undefined if no alert is chosen. */
  chosen: Alert | undefined;
  /** Label of the option that chooses no alert. */
  none: string;
  onChoose(alert: Alert | undefined): void;
}

/** Field that chooses one of the latest alerts. */
export function PastAlertField({ label, chosen, none, onChoose }: PastAlertFieldProps) {
  const { allowed, reason } = usePermission('alert_read');
  const { data: latest, error } = usePastAlerts();
  if (!allowed) return <span className="muted">{`Past alerts are not available to you. ${reason}`}</span>;
  if (latest === undefined)
    return error === null ? <Loading what="past alerts" /> : <Failure error={error} />;
  // The chosen alert stays among the options when newer alerts have replaced it in the list.
  const isListed = chosen === undefined || latest.some(({ alert_id }) => alert_id === chosen.alert_id);
  const found = isListed ? latest : [chosen, ...latest];
  if (found.length === 0) return <span className="muted">No alert has fired yet.</span>;
  return (
    <SelectField
      label={label}
      value={chosen?.alert_id ?? ''}
      options={[
        { value: '', label: none },
        ...found.map(({ alert_id, alert_rule_name, model_name, fired_at }) => ({
          value: alert_id,
          label: `${alert_rule_name}: ${model_name}, ${formatExact(Date.parse(fired_at))}`,
        })),
      ]}
      onChange={(id) => onChoose(found.find(({ alert_id }) => alert_id === id))}
    />
  );
}
