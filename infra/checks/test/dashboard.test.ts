import { readText } from './support/compose.js';

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
  fieldConfig?: { defaults: { unit?: string } };
}

const { panels } = JSON.parse(readText('infra/grafana/dashboards/tocsin.json')) as { panels: Panel[] };
const charts = panels.filter(({ type }) => type !== 'row');

/** Returns the row heading above a panel. */
const rowOf = (panel: Panel) =>
  panels.filter(({ type, gridPos }) => type === 'row' && gridPos.y < panel.gridPos.y).at(-1);

test('the panels of the dashboard do not overlap and fill each row', () => {
  const owners = new Map<string, string>();
  for (const { title, gridPos } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, owners.get(`${x},${y}`)]).toEqual([title, undefined]);
        owners.set(`${x},${y}`, title);
      }
    }
  }
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  expect(owners.size).toBe(24 * height);
});

test('all panels in a row of the dashboard have the same size, and each row has a heading', () => {
  for (const panel of charts) {
    const row = rowOf(panel);
    expect([panel.title, row?.title]).toEqual([panel.title, expect.stringMatching(/./)]);
    const { w, h } = charts.find((other) => rowOf(other) === row)?.gridPos ?? panel.gridPos;
    expect([panel.title, panel.gridPos.w, panel.gridPos.h]).toEqual([panel.title, w, h]);
  }
});

test('each panel of the dashboard has a unit and a unique id, and the alarms panel is first', () => {
  expect(charts.slice(0, 3).map(({ title }) => title)).toEqual([
    'Alarms firing',
    'Services up',
    'Oldest due',
  ]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, fieldConfig, targets = [] } of charts) {
    expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/./)]);
    expect([title, targets.length > 0]).toEqual([title, true]);
  }
});
