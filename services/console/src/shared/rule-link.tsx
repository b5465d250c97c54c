import { Link } from 'react-router';
import { useAlertRules } from '../api/index.js';
import { usePaths } from '../paths.js';

/**
 * Shows the name of a rule. If the rule exists, the name is a link. Deleted rules and the built-in rules of notices
 * have no page.
 */
export function RuleLink({ id, name }: { id: string; name?: string }) {
  const paths = usePaths();
  const { data: rules = [] } = useAlertRules();
  const rule = rules.find((known) => known.id === id);
  return rule === undefined ? (name ?? id) : <Link to={paths.alertRule(id)}>{name ?? rule.name}</Link>;
}
