import type { Results } from './results.js';

interface Bar {
  label: string;
  value: number;
  text: string;
  muted?: boolean;
}

interface Panel {
  title: string;
  bars: Bar[];
}

const width = 760;
const labelWidth = 230;
const barHeight = 22;
const gap = 6;
const panelGap = 44;

/**
 * Renders throughput and latency results as an SVG chart: one panel of horizontal bars for each kind of result. Each
 * panel has its own scale.
 */
export function renderChart(results: Results): string {
  let y = 28;
  const parts: string[] = [];
  for (const { title, bars } of panelsOf(results)) {
    parts.push(`<text x="16" y="${y}" class="title">${escapeXml(title)}</text>`);
    const largest = Math.max(...bars.map(({ value }) => value));
    y += 12;
    for (const bar of bars) {
      parts.push(drawBar(bar, y, largest));
      y += barHeight + gap;
    }
    y += panelGap - 12;
  }
  const { machine, startedAt } = results;
  const foot = `${machine.cores} cores, ${machine.cpu}, Node ${machine.node}, ${machine.commit}, ${startedAt.slice(0, 10)}`;
  parts.push(`<text x="16" y="${y}" class="foot">${escapeXml(foot)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 16}" font-family="system-ui, sans-serif" font-size="13">
<style>.title{font-weight:600;font-size:15px}.foot{fill:#667085;font-size:11px}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`;
}

function panelsOf({
  throughput,
  rest,
  restBatch,
  latency = [],
  webhookOptions = [],
  scaleOut = [],
  growth = [],
}: Results): Panel[] {
  return [
    {
      title: 'Deliveries a second',
      bars: throughput
        ? [
            countBar('bare loop', throughput.bareLoop.median, true),
            countBar('bare loop, while publishing', throughput.bareLoopWhilePublishing, true),
            countBar('delivery worker', throughput.worker.median),
          ]
        : [],
    },
    {
      title: 'Alerts a second over REST',
      bars: [
        ...(rest ? [countBar('single requests', rest.published.median)] : []),
        ...(restBatch ? [countBar('batches', restBatch.published.median)] : []),
      ],
    },
    {
      title: 'Publish to arrival, p99',
      bars: latency.map(({ perSecond, latencyMs }) => msBar(`at ${perSecond} a second`, latencyMs.p99)),
    },
    {
      title: 'Deliveries a second, by webhook options',
      bars: webhookOptions.map(({ options, perSecond }) => countBar(options, perSecond.median)),
    },
    {
      title: 'Deliveries a second, by workers',
      bars: scaleOut.map(({ workers, perSecond }) => countBar(String(workers), perSecond)),
    },
    {
      title: 'Queries on growing history, p99',
      bars: growth.flatMap(({ deliveries, latencyMs }) =>
        Object.entries(latencyMs).map(([query, { p99 }]) =>
          msBar(`${query}, ${deliveries.toLocaleString('en-US')}`, p99),
        ),
      ),
    },
  ].filter(({ bars }) => bars.length > 0);
}

function countBar(label: string, value: number, muted = false): Bar {
  return { label, value, text: Math.round(value).toLocaleString('en-US'), muted };
}

function msBar(label: string, value: number): Bar {
  return { label, value, text: `${value.toFixed(1)} ms` };
}

function drawBar({ label, value, text, muted = false }: Bar, y: number, largest: number): string {
  const length = Math.max(1, Math.round((value / largest) * (width - labelWidth - 110)));
  const middle = y + barHeight / 2 + 4;
  return [
    `<text x="${labelWidth - 8}" y="${middle}" text-anchor="end">${escapeXml(label)}</text>`,
    `<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="3" fill="${muted ? '#98a2b3' : '#2f6fed'}"/>`,
    `<text x="${labelWidth + length + 8}" y="${middle}">${escapeXml(text)}</text>`,
  ].join('');
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
