/** A document's text as it is; only the marks of Markdown's headings become weight. Never HTML. */
export function PlainText({ text }: { text: string }) {
  return (
    <>
      {text.split(/^(#{1,6} .*)$/m).map((piece, at) => {
        const heading = /^#{1,6} (.*)$/.exec(piece)?.[1];
        return heading === undefined ? piece : <strong key={at}>{heading}</strong>;
      })}
    </>
  );
}

/** The same on one line, for an excerpt. */
export function excerpt(text: string): string {
  return text.replace(/^#{1,6} /gm, "").replace(/\s+/g, " ");
}
