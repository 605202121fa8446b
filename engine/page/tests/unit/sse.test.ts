import { describe, expect, it } from "vitest";
import { EventParser, type Message } from "../../src/api/sse";

function parse(...pieces: string[]): Message[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

describe("EventParser", () => {
  it("reads id, event and data", () => {
    expect(parse("id: 3\nevent: token\ndata: {}\n\n")).toEqual([{ id: "3", event: "token", data: "{}" }]);
  });

  it("does not care where the pieces break", () => {
    const text = "id: 1\r\nevent: a\r\ndata: x\r\n\r\nid: 2\ndata: y\ndata: z\n\n: kept alive\n\nevent: only\n\n";
    const whole = parse(text);
    expect(whole.map((message) => [message.event, message.data])).toEqual([["a", "x"], ["message", "y\nz"]]);
    for (let cut = 1; cut < text.length; cut += 1) {
      expect(parse(text.slice(0, cut), text.slice(cut)), `cut at ${cut}`).toEqual(whole);
    }
    expect(parse(...text)).toEqual(whole);
  });

  it("keeps an unfinished event back", () => {
    expect(parse("data: half")).toEqual([]);
    expect(parse("data: half\n")).toEqual([]);
  });

  it("takes off one space after the colon only", () => {
    expect(parse("data:  a\n\n")[0]?.data).toBe(" a");
    expect(parse("data:a\n\n")[0]?.data).toBe("a");
  });
});
