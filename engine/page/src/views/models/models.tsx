import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { onEvent } from "../../api/feed";
import { call, problemOf } from "../../api/http";
import type { Device, ModelList, RoleEntry, SelfTest } from "../../api/machine";
import type { Problem } from "../../api/types";
import { locale, t } from "../../i18n";
import { bytes, duration, fine } from "../../model/format";
import { Button, ProblemNote, Skeleton } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";

export function Models() {
  const s = t.value.models;
  const list = useLoad<ModelList>("/api/models");
  const { data } = list;
  useEffect(() => onEvent("model", list.reload), [list.reload]);
  const put = (entry: RoleEntry) =>
    data && list.set({ ...data, roles: data.roles.map((role) => (role.role === entry.role ? entry : role)) });
  return (
    <div class="column">
      <header class="page-head">
        <h1>{s.title}</h1>
        {data?.process.memory_bytes != null && <p class="quiet-text">{s.process(bytes(data.process.memory_bytes, locale.value))}</p>}
      </header>
      <p class="lead">{s.lead}</p>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {!data && !list.problem && <Skeleton lines={9} />}
      <div class="roles">
        {data?.roles.map((role) => <RoleCard key={role.role} role={role} put={put} reload={list.reload} />)}
      </div>
      {data && data.devices.length > 0 && <Devices devices={data.devices} />}
    </div>
  );
}

function RoleCard({ role, put, reload }: { role: RoleEntry; put: (entry: RoleEntry) => void; reload: () => void }) {
  const s = t.value.models;
  const busy = useSignal<string | null>(null);
  const problem = useSignal<Problem | null>(null);
  const test = useSignal<SelfTest | null>(null);
  const l = locale.value;
  const act = async (action: "load" | "sleep" | "selftest") => {
    busy.value = action;
    problem.value = null;
    try {
      const path = `/api/models/${role.role}/${action}`;
      if (action === "selftest") {
        test.value = await call<SelfTest>("POST", path);
        reload();
      } else put(await call<RoleEntry>("POST", path));
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      busy.value = null;
    }
  };
  const speed = role.tokens_per_second;
  const state = busy.value === "load" ? "loading" : role.state;
  return (
    <section class="role" data-state={state} aria-label={s.roles[role.role].name}>
      <header>
        <div>
          <h2>{s.roles[role.role].name}</h2>
          <p class="quiet-text">{s.roles[role.role].what}</p>
        </div>
        <span class="state" role="status"><i aria-hidden="true" />{s.states[state]}</span>
      </header>
      <dl class="pairs">
        <dt>{s.model}</dt><dd>{role.name ?? "—"}</dd>
        {role.file && <><dt>{s.file}</dt><dd class="path">{role.file}</dd></>}
        {role.device && <><dt>{s.device}</dt><dd>{role.device}{role.reason && <span class="quiet-text"> {role.reason}</span>}</dd></>}
        {role.memory_bytes !== null && role.memory_bytes > 0 && <><dt>{s.memory}</dt><dd class="number">{bytes(role.memory_bytes, l)}</dd></>}
        {role.context_tokens !== null && <><dt>{s.context}</dt><dd class="number">{s.tokens(role.context_tokens)}</dd></>}
        {role.dimension !== null && <><dt>{s.dimension}</dt><dd class="number">{role.dimension}</dd></>}
        {role.threads !== null && <><dt>{s.threads}</dt><dd class="number">{role.threads}</dd></>}
        {role.load_ms !== null && <><dt>{s.loadTime}</dt><dd class="number">{duration(role.load_ms, l)}</dd></>}
        {speed?.prompt != null && <><dt>{s.prompt}</dt><dd class="number">{s.perSecond(speed.prompt)}</dd></>}
        {speed?.decode != null && <><dt>{s.decode}</dt><dd class="number">{s.perSecond(speed.decode)}</dd></>}
      </dl>
      {role.error && <ProblemNote problem={role.error} />}
      {problem.value && <ProblemNote problem={problem.value} />}
      {test.value && <TestResult test={test.value} />}
      <div class="actions">
        {role.state === "loaded"
          ? <Button disabled={busy.value !== null || (role.busy ?? 0) > 0} onClick={() => void act("sleep")}>{s.sleep}</Button>
          : <Button kind="strong" disabled={busy.value !== null || state === "loading" || state === "missing"} onClick={() => void act("load")}>{s.load}</Button>}
        <Button disabled={busy.value !== null || state === "missing"} onClick={() => void act("selftest")}>
          {busy.value === "selftest" ? s.testing : s.selftest}
        </Button>
        {(role.busy ?? 0) > 0 && <span class="quiet-text">{s.busy(role.busy ?? 0)}</span>}
      </div>
    </section>
  );
}

function TestResult({ test }: { test: SelfTest }) {
  const s = t.value.models;
  const l = locale.value;
  return (
    <div class="test-result" data-ok={test.ok} role="status">
      <Icon name={test.ok ? "check" : "warning"} />
      <p>
        <b>{test.ok ? s.passed : s.notPassed}</b> {test.detail}
        <span class="quiet-text">
          {test.worst_cosine !== null && ` · ${s.worst} ${fine(test.worst_cosine, l)}`} · {duration(test.ms, l)}
        </span>
      </p>
    </div>
  );
}

function Devices({ devices }: { devices: Device[] }) {
  const s = t.value.models;
  const l = locale.value;
  return (
    <section>
      <h2>{s.devices}</h2>
      <ul class="devices">
        {devices.map((device) => (
          <li key={device.index}>
            <b>{device.name}</b>
            <span>{device.description}</span>
            <span class="quiet-text">{device.software ? s.software : device.gpu ? s.gpu : s.cpu}</span>
            {device.memory_total > 0 && <span class="number">{s.free(bytes(device.memory_free, l), bytes(device.memory_total, l))}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
