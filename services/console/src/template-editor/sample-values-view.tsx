import { sampleFacts } from '@tocsin/template/browser';
import { PastAlertField } from '../shared/past-alert-field.js';
import { Button, TextField } from '../ui/index.js';
import { factNames, factsOfAlert, type SampleTexts, toTexts } from './sample-values.js';

export interface SampleValuesProps {
  texts: SampleTexts;
  errors: ReadonlyMap<string, string>;
  onChange(texts: SampleTexts): void;
}

/** Fields for the sample values. The body in the preview and in the test request is rendered with these values. */
export function SampleValues({ texts, errors, onChange }: SampleValuesProps) {
  return (
    <details className="sample-values">
      <summary>{errors.size === 0 ? 'Sample values' : 'Sample values (some are not valid)'}</summary>
      <div className="stack">
        <p className="muted">The preview and the test use these values. Real alerts have their own values.</p>
        <div className="row">
          <PastAlertField
            label="Use the values of a past alert"
            chosen={undefined}
            none="Choose an alert"
            onChoose={(alert) => alert !== undefined && onChange(toTexts(factsOfAlert(alert)))}
          />
          <Button onPress={() => onChange(toTexts(sampleFacts))}>Reset to the example</Button>
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
