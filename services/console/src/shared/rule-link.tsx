import { Link } from 'react-router';
import { useAlertRules } from '../api/index.js';
import { usePaths } from '../paths.js';

/** The name of a rule, as a link where the rule exists. Notices have built-in rules, and a rule can be deleted. */
export function RuleLink({ id, name }: { id: string; name?: string }) {
  const paths = usePaths();
  const { data: rules = [] } = useAlertRules();
  const rule = rules.find((known) => known.id === id);
  return rule === undefined ? (name ?? id) : <Link to={paths.alertRule(id)}>{name ?? rule.name}</Link>;
}
