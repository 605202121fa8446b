import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/forms.css";
import "./styles/composer.css";
import "./styles/chat.css";
import "./styles/panel.css";
import "./styles/time.css";
import "./styles/found.css";
import "./styles/corpus.css";
import "./styles/machine.css";
import { render } from "preact";
import { openFeed } from "./api/feed";
import { App } from "./app";

const root = document.getElementById("app");
if (root) render(<App />, root);
openFeed();
