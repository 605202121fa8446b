import type { Part } from "../../api/types";
import { locale, t } from "../../i18n";
import { type MarginStrip, marginStrips, type ScoreBar, scoreBars, type StageStep, stageSteps } from "../../model/bars";
import { fine, score } from "../../model/format";
import { isDecided } from "../../model/turn";
import { Skeleton, StoreChip, storeName } from "../../ui/basic";
import { Icon, StoreMark } from "../../ui/icons";

/** Where one part of the message went, with every number behind it. */
export function DecisionCard({ part, index, of, level = 4 }: { part: Part; index: number; of: number; level?: 3 | 4 }) {
  const s = t.value.decision;
  if (!isDecided(part)) {
    return (
      <div class="card">
        <PartTitle part={part} index={index} of={of} level={level} />
        <Skeleton lines={4} />
      </div>
    );
  }
  return (
    <div class="card">
      <PartTitle part={part} index={index} of={of} level={level} />
      <p class="outcome">
        <StoreChip store={part.route} />
        <span>{s.stages[part.stage].by}</span>
      </p>
      {part.fallback && (
        <p class="note">
          <Icon name="warning" />
          {s.handedOver(storeName(part.fallback.from), storeName(part.fallback.to))} {part.fallback.reason}
        </p>
      )}
      <Stages steps={stageSteps(part)} />
      <Scores bars={scoreBars(part)} />
      {marginStrips(part).map((strip) => <Strip key={strip.of} strip={strip} />)}
      <Numbers part={part} />
    </div>
  );
}

/** A part's number and text, as a heading of the level that its place asks for. */
export function PartTitle({ part, index, of, level = 4 }: { part: Part; index: number; of: number; level?: 3 | 4 }) {
  if (of < 2) return null;
  const Heading = `h${level}` as const;
  return <Heading class="part-title"><span>{index + 1}</span>{part.question}</Heading>;
}

function Stages({ steps }: { steps: StageStep[] }) {
  const s = t.value.decision;
  const l = locale.value;
  return (
    <ol class="stages" aria-label={s.stagesLabel}>
      {steps.map((step) => (
        <li key={step.stage} data-state={step.state}>
          <span class="stage-name">{s.stages[step.stage].name}</span>
          <span class="stage-state">{step.state === "passed" ? s.stages[step.stage].passed : s.states[step.state]}</span>
          {step.best !== undefined && step.tauHigh !== undefined && (
            <Test holds={step.best >= step.tauHigh} what={s.best} value={fine(step.best, l)} name="τ" limit={fine(step.tauHigh, l)} />
          )}
          {step.margin !== undefined && step.delta !== undefined && (
            <Test holds={step.margin >= step.delta} what={s.margin} value={fine(step.margin, l)} name="δ" limit={fine(step.delta, l)} />
          )}
        </li>
      ))}
    </ol>
  );
}

/** A number against the least it had to reach. */
function Test({ holds, what, value, name, limit }: { holds: boolean; what: string; value: string; name: string; limit: string }) {
  return (
    <span class="test" data-holds={holds}>
      <span>{what} {value}</span> <span>{holds ? "≥" : "<"} {name} {limit}</span>
    </span>
  );
}

function Scores({ bars }: { bars: ScoreBar[] }) {
  const s = t.value.decision;
  const l = locale.value;
  const split = bars.some((bar) => bar.evidence !== null);
  return (
    <>
      <dl class="scores">
        {bars.map((bar) => (
          <div key={bar.store} data-store={bar.store} data-chosen={bar.chosen}>
            <dt><StoreMark store={bar.store} />{storeName(bar.store)}</dt>
            <dd>
              <span class="score-bar" aria-hidden="true">
                {bar.evidence !== null && <i class="evidence" style={{ width: `${bar.evidence * 100}%` }} />}
                <i class={split ? "anchor" : "whole"} style={{ width: `${(bar.anchor ?? bar.score) * 100}%` }} />
              </span>
              <span class="number">{fine(bar.score, l)}</span>
              {bar.evidence !== null && bar.anchor !== null && (
                <span class="unseen">{s.shares(fine(bar.evidence, l), fine(bar.anchor, l))}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p class="legend" aria-hidden="true">
        {split && <span><i class="key evidence" />{s.evidenceShare}</span>}
        <span><i class={`key ${split ? "anchor" : "evidence"}`} />{s.anchorShare}</span>
      </p>
    </>
  );
}

/** The same scores on an axis of their differences: the margin beside what it had to reach. */
function Strip({ strip }: { strip: MarginStrip }) {
  const s = t.value.decision;
  const l = locale.value;
  const place = (share: number) => `${share * 100}%`;
  const { margin, delta } = strip;
  return (
    <figure class="strip">
      <figcaption>
        <span>{s.strips[strip.of]} <b class="number">{fine(margin.value, l)}</b></span>
        {delta && <span class="strip-delta">{margin.value >= delta.value ? "≥" : "<"} δ <b class="number">{fine(delta.value, l)}</b></span>}
        <span class="strip-ends" aria-hidden="true">{score(strip.low, l)} – {score(strip.high, l)}</span>
      </figcaption>
      <div class="strip-axis" data-tall={strip.points.some((point) => point.raised)} aria-hidden="true">
        <i class="strip-margin" style={{ left: place(margin.from), width: place(margin.to - margin.from) }} />
        {delta && <i class="strip-limit" style={{ left: place(delta.at) }} />}
        {strip.points.map((point) => (
          <span key={point.store} class="strip-point" data-raised={point.raised} style={{ left: place(point.at) }}><StoreMark store={point.store} /></span>
        ))}
      </div>
    </figure>
  );
}

function Numbers({ part }: { part: Part }) {
  const s = t.value.decision;
  const l = locale.value;
  const { decision } = part;
  if (!decision) return null;
  return (
    <details class="numbers">
      <summary>{s.numbers}</summary>
      {scoreBars(part).map(({ store }) => {
        const anchor = decision.anchors[store];
        const held = decision.evidence[store];
        return (
          <dl key={store} class="pairs">
            <dt class="pairs-title"><StoreChip store={store} /></dt>
            {held && <><dt>{s.evidence}</dt><dd><span class="number">{fine(held.score, l)}</span> {held.source}</dd></>}
            {held && <><dt>{s.dense}</dt><dd class="number">{fine(held.dense, l)}</dd></>}
            {held && <><dt>{s.lexical}</dt><dd class="number">{fine(held.lexical, l)}</dd></>}
            {anchor && <><dt>{s.anchor}</dt><dd><span class="number">{fine(anchor.score, l)}</span> “{anchor.phrase}”</dd></>}
          </dl>
        );
      })}
      <dl class="pairs">
        <dt>τ<sub>high</sub></dt><dd class="number">{fine(decision.thresholds.tau_high, l)}</dd>
        <dt>τ<sub>low</sub></dt><dd class="number">{fine(decision.thresholds.tau_low, l)}</dd>
        <dt>δ</dt><dd class="number">{fine(decision.thresholds.delta, l)}</dd>
        <dt>{s.anchorWeight}</dt><dd class="number">{score(decision.anchor_weight, l)}</dd>
        {decision.possible.length > 0 && <><dt>{s.possible}</dt><dd>{decision.possible.map(storeName).join(", ")}</dd></>}
      </dl>
    </details>
  );
}
