import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, problemOf } from "../api/http";
import type { Problem } from "../api/types";

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
  /** Puts something newer in the place of what was loaded. */
  set: (data: T) => void;
}

/** Loads `path` (nothing while it is `null`) and again with every new path; an older answer never wins. */
export function useLoad<T>(path: string | null): Loaded<T> {
  const [data, set] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [loading, setLoading] = useState(path !== null);
  const running = useRef<AbortController | null>(null);
  const reload = useCallback(() => {
    running.current?.abort();
    if (path === null) return;
    const controller = new AbortController();
    running.current = controller;
    setLoading(true);
    get<T>(path, controller.signal)
      .then((found) => {
        set(found);
        setProblem(null);
      })
      .catch((error: unknown) => controller.signal.aborted || setProblem(problemOf(error)))
      .finally(() => controller.signal.aborted || setLoading(false));
  }, [path]);
  useEffect(() => {
    set(null);
    reload();
    return () => running.current?.abort();
  }, [reload]);
  return { data, problem, loading, reload, set };
}

/** The page's clock in milliseconds, ticking while something runs. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    if (!running) return;
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 500 : 60;
    const timer = setInterval(() => setNow(performance.now()), pause);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
