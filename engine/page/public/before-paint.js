// Runs before the first paint, so that a chosen theme or language never flashes.
try {
  const theme = localStorage.getItem("polyrag.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const language = localStorage.getItem("polyrag.language");
  if (language === "pt" || language === "en") document.documentElement.lang = language;
} catch {
  // Storage may be switched off; the system's choice holds then.
}
