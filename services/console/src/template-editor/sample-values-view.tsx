import { sampleFacts } from '@tocsin/template/browser';
import { usePastAlerts, usePermission } from '../api/index.js';
import { Button, Failure, formatExact, SelectField, TextField } from '../ui/index.js';
import { factNames, factsOfAlert, type SampleTexts, toTexts } from './sample-values.js';

export interface SampleValuesProps {
  texts: SampleTexts;
  errors: ReadonlyMap<string, string>;
  onChange(texts: SampleTexts): void;
}

/** The values that the preview and the test use. */
export function SampleValues({ texts, errors, onChange }: SampleValuesProps) {
  return (
    <details className="sample-values">
      <summary>{errors.size === 0 ? 'Sample values' : 'Sample values (some are not valid)'}</summary>
      <div className="stack">
        <p className="muted">The preview and the test use these values. Real alerts bring their own.</p>
        <div className="row">
          <PastAlerts onChoose={onChange} />
          <Button onPress={() => onChange(toTexts(sampleFacts))}>Back to the example</Button>
        </div>
        <div className="sample-fields">
          {factNames.map((name) => (
            <TextField
              key={name}
              label={name}
              value={texts[name]}
              error={errors.get(name)}
              onChange={(text) => onChange({ ...texts, [name]: text })}
            />
          ))}
        </div>
      </div>
    </details>
  );
}

function PastAlerts({ onChoose }: { onChoose(texts: SampleTexts): void }) {
  const { allowed, reason } = usePermission('alert_read');
  const alerts = usePastAlerts({ enabled: allowed });
  if (!allowed) return <span className="muted">{`Past alerts are not available to you. ${reason}`}</span>;
  if (alerts.error !== null) return <Failure error={alerts.error} />;
  const found = alerts.data ?? [];
  if (found.length === 0) return <span className="muted">No alert has fired yet.</span>;
  return (
    <SelectField
      label="Take them from a past alert"
      value=""
      options={[
        { value: '', label: 'Choose an alert' },
        ...found.map(({ alert_id, alert_rule_name, model_name, fired_at }) => ({
          value: alert_id,
          label: `${alert_rule_name}: ${model_name}, ${formatExact(Date.parse(fired_at))}`,
        })),
      ]}
      onChange={(id) => {
        const alert = found.find(({ alert_id }) => alert_id === id);
        if (alert !== undefined) onChoose(toTexts(factsOfAlert(alert)));
      }}
    />
  );
}
