/**
 * The body of a webhook that is accepted when it is saved and that costs the most CPU: 29,707 of 30,000 steps. The
 * isolation suite fires it as a noisy neighbour.
 */
export const worstAcceptedTemplate =
  '[{% for i in range(9900) %}{% filter upper %}1,{% endfilter %}{% endfor %}1]';
