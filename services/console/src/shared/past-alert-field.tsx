import type { Alert } from '@tocsin/client/browser';
import { usePastAlerts, usePermission } from '../api/index.js';
import { Failure, formatExact, SelectField } from '../ui/index.js';

export interface PastAlertFieldProps {
  label: string;
  /** Id of the chosen alert, or an empty string if no alert is chosen. */
  value: string;
  /** Label of the option that chooses no alert. */
  none: string;
  onChoose(alert: Alert | undefined): void;
}

/** Field that chooses one of the latest alerts. */
export function PastAlertField({ label, value, none, onChoose }: PastAlertFieldProps) {
  const { allowed, reason } = usePermission('alert_read');
  const alerts = usePastAlerts();
  if (!allowed) return <span className="muted">{`Past alerts are not available to you. ${reason}`}</span>;
  if (alerts.error !== null) return <Failure error={alerts.error} />;
  const found = alerts.data ?? [];
  if (found.length === 0) return <span className="muted">No alert has fired yet.</span>;
  return (
    <SelectField
      label={label}
      value={value}
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
