// A stand-in for `polyrag serve`, for developing and testing the page alone: it serves the built page and
// replays the shapes of the API. It computes nothing. `node mock/server.mjs [PORT]`; MOCK_SPEED=0 skips waiting.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { api } from "./api.mjs";
import { newState } from "./state.mjs";

const DIST = join(fileURLToPath(new URL(".", import.meta.url)), "..", "dist");
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
/** The policy of the real server, so that what it forbids fails here as well. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function serveFile(path, response) {
  const file = join(DIST, normalize(path));
  const found = file.startsWith(DIST) && existsSync(file) && statSync(file).isFile();
  if (!found && extname(path)) return response.writeHead(404).end();
  const name = found ? file : join(DIST, "index.html");
  response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream", "content-security-policy": POLICY });
  createReadStream(name).pipe(response);
}

/** Starts the server; `speed` divides every wait, 0 leaves them out. `empty` begins without documents. */
export function start({ port = 0, speed = 1, empty = false } = {}) {
  const state = newState(speed, empty);
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    if (url.pathname.startsWith("/api/")) return void api(state, request, response, url);
    serveFile(decodeURIComponent(url.pathname), response);
  });
  return new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () => {
      const close = () => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
      };
      resolve({ url: `http://127.0.0.1:${server.address().port}`, state, close });
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const speed = Number(process.env.MOCK_SPEED ?? 1);
  const { url } = await start({ port: Number(process.argv[2] ?? 8741), speed });
  console.log(url);
}
