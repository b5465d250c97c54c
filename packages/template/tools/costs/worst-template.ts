/**
 * A webhook body that can be saved and uses almost all steps of a rendering: 29,707 of 30,000. The isolation suite uses
 * it as a noisy neighbour.
 */
export const worstAcceptedTemplate =
  '[{% for i in range(9900) %}{% filter upper %}1,{% endfilter %}{% endfor %}1]';
