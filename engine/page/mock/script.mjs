/** The demo's questions with what the stores give. Numbers of a store: phrase, cosine, words held, source. */

const SALES = "vendas_2026_q1.csv > vendas_2026_q1";
const FLEET = "frota_2026.csv > frota_2026";
const HISTORY = "historia_meridiano.md > Recife e o ano das duas planilhas";
const POLICY = "politicas_compras.md > Política PC-09";
const fact = (from, to, words, mass) => ({ from, to, kind: "relation", fact: words, mass });
const names = (from, mass) => ({ from, to: "*", kind: "context", mass });
const source = (n, document, location, store) => ({ n, document, location, store });

const south = "SELECT SUM(receita) AS receita_total FROM vendas_2026_q1 WHERE regiao = 'Sul'";
const north = south.replace("Sul", "Norte");
const byRegion = "SELECT regiao, SUM(receita) AS receita FROM vendas_2026_q1 GROUP BY regiao ORDER BY receita DESC";
const march = "SELECT SUM(receita) AS receita FROM vendas_2026_q1 WHERE mes = 'março'";
const fleet = "SELECT COUNT(*) AS caminhoes FROM frota_2026 WHERE base = 'Recife'";
const link = (phrase, table, column, value) => ({ phrase, table, column, value, by: "same", condition: null });

const revenue = (sql, region, value) => ({
  route: "relational", sql, columns: ["receita_total"], rows: [[value]],
  links: [link(region, "vendas_2026_q1", "regiao", region)],
  numbers: { relational: [0.8641, 0.8912, 0.75, SALES], vector: [0.8018, 0.8423, 0.25, HISTORY], graph: [0.8207, 0.8517, 0.5, POLICY] },
});

const chain = [
  ["politicas_compras.md", "Política PC-09", 1, [fact("Sistema Atlas", "região Norte", "Sistema Atlas trata os pedidos da região Norte", 0.119), fact("região Norte", "Política PC-09", "Política PC-09 governa os pedidos da região Norte", 0.094), names("Política PC-09", 0.088)]],
  ["dependencias_sistemas.md", "Sistema Atlas", 0.871, [names("Sistema Atlas", 0.107)]],
  ["dependencias_sistemas.md", "Sistema Zênite", 0.402, [fact("Sistema Atlas", "Sistema Zênite", "Sistema Zênite consulta o Sistema Atlas", 0.041), names("Sistema Zênite", 0.037)]],
  ["normas_retencao.md", "Norma ND-03", 0.118, [fact("Sistema Atlas", "dados pessoais", "Sistema Atlas mantém o cadastro com os dados pessoais", 0.022), names("dados pessoais", 0.014)]],
];

export const SCRIPT = [
  {
    question: "Qual foi a receita total da região Sul no trimestre?",
    answer: "A receita total da região Sul no trimestre foi de R$ 2.129.224,40. [1]",
    parts: [revenue(south, "Sul", 2129224.4)],
    sources: [source(1, "vendas_2026_q1.csv", south, "relational")],
  },
  {
    question: "Qual foi a receita total da região Norte no trimestre?",
    answer: "A receita total da região Norte no trimestre foi de R$ 1.591.514,30. [1]",
    parts: [revenue(north, "Norte", 1591514.3)],
    sources: [source(1, "vendas_2026_q1.csv", north, "relational")],
  },
  {
    question: "Qual a receita de cada região?",
    answer: "A maior receita do trimestre é a do Sudeste, com R$ 4.012.887,10, seguida por Sul, Nordeste, Norte e Centro-Oeste. [1]",
    parts: [{
      route: "relational", sql: byRegion, columns: ["regiao", "receita"],
      rows: [["Sudeste", 4012887.1], ["Sul", 2129224.4], ["Nordeste", 1874310.25], ["Norte", 1591514.3], ["Centro-Oeste", 1203405.9]],
      attempts: [{ sql: "SELECT regiao, receita FROM vendas_2026_q1", problem: "the question asks for a total, the query sums nothing" }, { sql: byRegion, problem: null }],
      numbers: { relational: [0.9034, 0.8841, 0.5, SALES], vector: [0.8211, 0.8401, 0.25, HISTORY], graph: [0.8340, 0.8488, 0.25, POLICY] },
    }],
    sources: [source(1, "vendas_2026_q1.csv", byRegion, "relational")],
  },
  {
    question: "How many trucks are based in Recife?",
    language: "en",
    answer: "Four trucks are based in Recife. [1]",
    parts: [{
      route: "relational", sql: fleet, columns: ["caminhoes"], rows: [[4]], links: [link("Recife", "frota_2026", "base", "Recife")],
      numbers: { relational: [0.8522, 0.8654, 0.5, FLEET], vector: [0.7998, 0.8502, 0.25, HISTORY], graph: [0.8126, 0.8391, 0.25, "dependencias_sistemas.md > Sistema Pátio"] },
    }],
    sources: [source(1, "frota_2026.csv", fleet, "relational")],
  },
  {
    question: "O que deu origem ao projeto do Sistema Atlas?",
    answer: "O projeto do Sistema Atlas nasceu do cansaço com duas planilhas: durante sete meses, Belém e Recife anotaram os pedidos em planilhas diferentes. [1]",
    parts: [{
      route: "vector",
      retrieved: [["historia_meridiano.md", "Recife", 1], ["dependencias_sistemas.md", "Sistema Atlas", 0.744], ["historia_meridiano.md", "O começo", 0.312], ["manual_atendimento.md", "", 0.201], ["fornecedor_externo.html", "Proposta", 0.094]],
      numbers: { relational: [0.7905, 0.8264, 0.25, SALES], vector: [0.8419, 0.8877, 1, HISTORY], graph: [0.8468, 0.8702, 0.75, "dependencias_sistemas.md > Sistema Atlas"] },
    }],
    sources: [source(1, "historia_meridiano.md", "Recife e o ano das duas planilhas", "vector")],
  },
  {
    question: "Quem precisa assinar o faturamento de um pedido que entrou pelo Sistema Atlas?",
    answer: "Um pedido que entrou pelo Sistema Atlas é da região Norte, e seu faturamento precisa de duas assinaturas: a da Gerência Regional Norte e a da Diretoria de Operações. [1][2]",
    parts: [{
      route: "graph", retrieved: chain,
      numbers: { relational: [0.8019, 0.8292, 0.25, SALES], vector: [0.8188, 0.8571, 0.5, HISTORY], graph: [0.8349, 0.8846, 0.75, POLICY] },
    }],
    sources: [source(1, "politicas_compras.md", "Política PC-09: faturamento dos pedidos do Norte", "graph"), source(2, "dependencias_sistemas.md", "Sistema Atlas", "graph")],
  },
  {
    question: "Quanto faturamos em março e em que dias Recife suspende as coletas no Carnaval?",
    answer: "Em março o faturamento foi de R$ 4.419.326,10. [1] Recife suspende as coletas no Carnaval de 14 a 17 de fevereiro de 2026. [2]",
    parts: [
      {
        question: "Quanto faturamos em março", route: "relational", sql: march, columns: ["receita"], rows: [[4419326.1]], links: [link("março", "vendas_2026_q1", "mes", "março")],
        numbers: { relational: [0.8402, 0.8801, 0.5, SALES], vector: [0.8044, 0.8277, 0.25, HISTORY], graph: [0.8101, 0.8316, 0.25, POLICY] },
      },
      {
        question: "em que dias Recife suspende as coletas no Carnaval?", route: "vector",
        retrieved: [["aviso_carnaval_2026.txt", "lines 3", 1], ["aviso_carnaval_2026.txt", "lines 5", 0.612], ["aviso_carnaval_2026.txt", "lines 7", 0.388]],
        numbers: { relational: [0.8077, 0.8360, 0.25, SALES], vector: [0.8345, 0.9021, 1, "aviso_carnaval_2026.txt > lines 3-3"], graph: [0.8331, 0.8555, 0.25, "dependencias_sistemas.md > Sistema Pátio"] },
      },
    ],
    sources: [source(1, "vendas_2026_q1.csv", march, "relational"), source(2, "aviso_carnaval_2026.txt", "lines 3-3", "vector")],
  },
  {
    question: "Qual o desconto médio por cliente?",
    answer: "",
    failure: { type: "urn:polyrag:error:model", title: "the generator stopped", status: 503, detail: "llama.cpp ran out of memory while it read 3,911 tokens", hint: "Close other programs, or set models.context_tokens lower in config.toml." },
    parts: [revenue(south, "Sul", 0)],
  },
  {
    question: "*",
    answer: "Os arquivos não respondem a essa pergunta.",
    abstained: true,
    parts: [{
      route: "vector", retrieved: [["historia_meridiano.md", "O começo", 0.41]],
      numbers: { relational: [0.7702, 0.7718, 0, SALES], vector: [0.7921, 0.7884, 0.2, HISTORY], graph: [0.7803, 0.7801, 0, POLICY] },
    }],
  },
];
