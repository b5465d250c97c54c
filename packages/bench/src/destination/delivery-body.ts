/**
 * The body that every delivery sends, about 300 bytes rendered: the alert's facts, as most destinations want them. The
 * alert's id comes first, so that the destination finds it without parsing.
 */
export const bodyTemplate = `{"alert_id":"{{ alert_id }}","text":"{{ alert_rule_name }}: {{ model_name }} is at {{ metric_value }}","rule":"{{ alert_rule_id }}","threshold":{{ threshold | round(2) }},"bound":"{{ bound }}","fired_at":"{{ fired_at }}","workspace":"{{ workspace_id }}","source":"{{ source | default("tocsin") }}"}`;

/** Where the alert's id begins in the rendered body. */
export const bodyIdAt = '{"alert_id":"'.length;

export const headers = { 'Content-Type': ['application/json'] };
