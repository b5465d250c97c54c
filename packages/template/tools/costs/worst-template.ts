/**
 * The webhook body that passes the check at saving and costs the most CPU time: 29,707 of 30,000 steps. The isolation
 * suite fires it as a noisy neighbour.
 */
export const worstAcceptedTemplate =
  '[{% for i in range(9900) %}{% filter upper %}1,{% endfilter %}{% endfor %}1]';
