import { useEffect } from "preact/hooks";
import { connection } from "./api/feed";
import { language, setLanguage, t } from "./i18n";
import { place, VIEWS } from "./route";
import { setTheme, theme } from "./theme";
import { Link, Segments } from "./ui/basic";
import { Icon } from "./ui/icons";
import { Chat } from "./views/chat/chat";
import { Corpus } from "./views/corpus/corpus";
import { Models } from "./views/models/models";
import { Telemetry } from "./views/telemetry/telemetry";

const CONTENT = { chat: Chat, corpus: Corpus, telemetry: Telemetry, models: Models };

export function App() {
  const { view, id } = place.value;
  const Content = CONTENT[view];
  useEffect(() => {
    document.title = `${t.value.views[view]} · PolyRAG`;
  }, [view, language.value]);
  useEffect(() => {
    document.getElementById("main")?.scrollTo(0, 0);
  }, [view, id]);
  return (
    <>
      <a class="skip" href="#main">{t.value.shell.skip}</a>
      <Header />
      <main id="main" tabIndex={-1} class={`view ${view}`}>
        <Content />
      </main>
    </>
  );
}

function Header() {
  const { view } = place.value;
  const s = t.value;
  return (
    <header class="top">
      <Link to="chat" class="brand" aria-label="PolyRAG">
        <img src="/icon.svg" alt="" width="24" height="24" />
        <span>PolyRAG</span>
      </Link>
      <nav aria-label={s.shell.views}>
        {VIEWS.map((one) => (
          <Link key={one} to={one} aria-current={one === view ? "page" : undefined}>
            <Icon name={one} />
            <span>{s.views[one]}</span>
          </Link>
        ))}
      </nav>
      <div class="top-end">
        {connection.value === "lost" && <span class="lost" role="status">{s.shell.lost}</span>}
        <Segments
          label={s.shell.language}
          value={language.value}
          choose={setLanguage}
          options={[{ value: "pt", text: "PT" }, { value: "en", text: "EN" }]}
        />
        <Segments
          label={s.shell.theme}
          value={theme.value}
          choose={setTheme}
          options={[
            { value: "system", text: s.shell.system, icon: "system" },
            { value: "light", text: s.shell.light, icon: "sun" },
            { value: "dark", text: s.shell.dark, icon: "moon" },
          ]}
        />
      </div>
    </header>
  );
}
