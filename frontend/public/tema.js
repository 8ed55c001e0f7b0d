// The chosen theme, before the first paint; without a choice the browser's preference holds.
try {
  const tema = localStorage.getItem('tema')
  if (tema === 'claro' || tema === 'oscuro') document.documentElement.dataset.tema = tema
} catch {
  // Storage may be forbidden: the browser's preference holds.
}
