/**
 * Body that costs the most CPU time of all bodies that the API accepts: about 5 ms, 29,707 of 30,000 steps of the render
 * budget. Measured in packages/template/tools/costs.
 */
export const worstTemplate = '[{% for i in range(9900) %}{% filter upper %}1,{% endfilter %}{% endfor %}1]';
