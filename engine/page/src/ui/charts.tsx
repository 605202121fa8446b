import { locale } from "../i18n";
import { cell } from "../model/format";
import type { Chart } from "../model/table";

/** A small drawing of a query's rows. The rows stand beside it as a table, so it is hidden from readers of the screen. */
export function ChartView({ chart }: { chart: Chart }) {
  if (chart.kind === "value") {
    return (
      <p class="one-value">
        <span class="one-value-number">{cell(chart.value, locale.value)}</span>
        <span class="one-value-label">{chart.label}</span>
      </p>
    );
  }
  return chart.kind === "bars" ? <Bars items={chart.items} /> : <Line items={chart.items} />;
}

type Items = { name: string; value: number }[];

function Bars({ items }: { items: Items }) {
  const low = Math.min(0, ...items.map((item) => item.value));
  const high = Math.max(0, ...items.map((item) => item.value));
  const share = (value: number) => ((value - low) / (high - low || 1)) * 100;
  return (
    <div class="bars" aria-hidden="true">
      {items.map((item, at) => (
        <div key={at} class="bar-row">
          <span class="bar-name">{item.name}</span>
          <span class="bar-track">
            <i style={{ left: `${share(Math.min(0, item.value))}%`, width: `${Math.abs(share(item.value) - share(0))}%` }} />
          </span>
        </div>
      ))}
    </div>
  );
}

const [WIDTH, HEIGHT] = [320, 96];

function Line({ items }: { items: Items }) {
  const values = items.map((item) => item.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (at: number) => (at / (items.length - 1)) * (WIDTH - 8) + 4;
  const y = (value: number) => HEIGHT - 6 - ((value - low) / (high - low || 1)) * (HEIGHT - 12);
  const points = items.map((item, at) => `${x(at)},${y(item.value)}`).join(" ");
  return (
    <div class="line-chart" aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <polyline points={points} />
      </svg>
      <div class="line-ends"><span>{items[0]?.name}</span><span>{items.at(-1)?.name}</span></div>
    </div>
  );
}
