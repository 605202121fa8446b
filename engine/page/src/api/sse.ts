/** A parser of `text/event-stream`, fed by pieces that may break anywhere. */

export interface Message {
  id: string | null;
  event: string;
  data: string;
}

export class EventParser {
  private rest = "";
  private id: string | null = null;
  private event = "";
  private data: string[] = [];
  private afterReturn = false;

  /** Takes the next piece of the stream and returns the events that it completes. */
  push(piece: string): Message[] {
    const found: Message[] = [];
    for (const line of this.lines(piece)) {
      const message = this.line(line);
      if (message) found.push(message);
    }
    return found;
  }

  private lines(piece: string): string[] {
    // A carriage return at the end of one piece and a line feed at the start of the next are one end of line.
    let text = this.afterReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") this.afterReturn = piece.endsWith("\r");
    text = this.rest + text;
    const lines = text.split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? "";
    return lines;
  }

  private line(line: string): Message | null {
    if (line === "") {
      const message = { id: this.id, event: this.event || "message", data: this.data.join("\n") };
      const complete = this.data.length > 0;
      this.event = "";
      this.data = [];
      return complete ? message : null;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id") this.id = value;
    return null;
  }
}
