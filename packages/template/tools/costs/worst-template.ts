/**
 * A webhook body that can be saved and uses almost the whole render budget: 29,707 of 30,000 steps. The isolation suite
 * uses it as a noisy neighbour.
 */
export const worstAcceptedTemplate =
  '[{% for i in range(9900) %}{% filter upper %}1,{% endfilter %}{% endfor %}1]';
