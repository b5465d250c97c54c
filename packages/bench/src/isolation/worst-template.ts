/**
 * Body template that costs the most CPU time of all templates that the API accepts. Until the render budget has settled,
 * a nested loop stands in for it.
 */
export const worstTemplate = `{"n": {% set ns = namespace(n=0) %}{% for a in range(100) %}{% for b in range(40) %}{% set ns.n = ns.n + 1 %}{% endfor %}{% endfor %}{{ ns.n }}}`;
