/** A query cut into words for colouring; joined again they give the query. */
export interface Token {
  kind: "keyword" | "text" | "number" | "plain";
  text: string;
}

const KEYWORDS = new Set(
  ("select from where group by order having limit offset join left inner outer cross on as and or not in is null like between " +
    "case when then else end distinct union all with recursive asc desc cast exists values using over partition").split(" "),
);

export function sqlTokens(sql: string): Token[] {
  const pattern = /('(?:[^']|'')*')|("(?:[^"]|"")*")|(\b\d+(?:\.\d+)?\b)|([\p{L}_][\p{L}\p{N}_]*)|([^'"\p{L}\p{N}_]+|.)/gsu;
  return [...sql.matchAll(pattern)].map(([text, literal, , number, word]) => {
    if (literal) return { kind: "text", text };
    if (number) return { kind: "number", text };
    return { kind: word && KEYWORDS.has(word.toLowerCase()) ? "keyword" : "plain", text };
  });
}
