/** The starter models, as a machine with two cores would say. */
const base = { gpu: false, reason: "no GPU found", threads: 2, error: null, busy: 0, dimension: null, context_tokens: null };

export const models = {
  roles: [
    { ...base, role: "embed", state: "loaded", name: "multilingual-e5-small", file: "multilingual-e5-small-q4_0.gguf", device: "CPU", memory_bytes: 131_072_000, size: 131_072_000, load_ms: 208, dimension: 384, context_tokens: 512, tokens_per_second: { prompt: 2140, decode: null } },
    { ...base, role: "generate", state: "loaded", name: "Qwen2.5-Coder-1.5B-Instruct", file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", device: "CPU", memory_bytes: 1_402_000_000, size: 1_402_000_000, load_ms: 911, context_tokens: 8192, tokens_per_second: { prompt: 41.8, decode: 9.6 } },
    { ...base, role: "ocr", state: "sleeping", name: "PP-OCRv6", file: "ppocr-v6-detection.rten", device: "CPU", reason: null, memory_bytes: 0, size: 61_000_000, load_ms: null, tokens_per_second: null },
  ],
  devices: [{ index: 0, name: "CPU", description: "2 cores, AVX2", gpu: false, software: false, memory_total: 24_800_000_000, memory_free: 19_300_000_000 }],
  process: { memory_bytes: 1_734_000_000 },
};
