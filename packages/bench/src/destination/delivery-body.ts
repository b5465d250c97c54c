/**
 * Body template of the measured deliveries. A rendered body has about 300 bytes. The alert id is the first value, so
 * that the destination finds it without parsing JSON.
 */
export const bodyTemplate = `{"alert_id":"{{ alert_id }}","text":"{{ alert_rule_name }}: {{ model_name }} is at {{ metric_value }}","rule":"{{ alert_rule_id }}","threshold":{{ threshold | round(2) }},"bound":"{{ bound }}","fired_at":"{{ fired_at }}","workspace":"{{ workspace_id }}","source":"{{ source | default("tocsin") }}"}`;

/** Position of the alert id in the rendered body. */
export const bodyIdAt = '{"alert_id":"'.length;

export const headers = { 'Content-Type': ['application/json'] };
