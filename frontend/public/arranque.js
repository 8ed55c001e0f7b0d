// Before the first paint: the chosen theme; without a choice the browser's preference holds.
try {
  const tema = localStorage.getItem('tema')
  if (tema === 'claro' || tema === 'oscuro') document.documentElement.dataset.tema = tema
} catch {
  // Storage may be forbidden: the browser's preference holds.
}

// After it: the scripts that make a prerendered page live, so that they take nothing from what is seen. scripts/build.mjs
// puts them into a template before this; a page without one has them in its head. What the visitor does before the page is
// live brings them at once, and is told to the page again when it says that it lives (src/vida.tsx).
{
  const GESTOS = ['pointerover', 'pointerdown', 'keydown', 'focusin']
  const LO_MAS_TARDE_MS = 4000
  // Over so slow a line they come after the first paint whenever they set out: at once, then, behind what is seen.
  const LINEA_LENTA_MS = 250
  let pulsado = null
  let encima = null

  const empezar = () => {
    const guiones = document.querySelector('template#guiones')
    if (!guiones) return
    guiones.remove()
    document.head.append(document.importNode(guiones.content, true))
  }
  // Told by an observer, whose first report comes with a frame: of all that waits for one, it alone asks for no drawing.
  const trasUnCuadro = (hacer) => {
    const mirada = new IntersectionObserver(() => {
      mirada.disconnect()
      hacer()
    })
    mirada.observe(document.documentElement)
  }
  // A page in the background is not drawn at all.
  const trasPintar = () => (document.hidden ? empezar() : trasUnCuadro(() => trasUnCuadro(empezar)))

  const alGesto = ({ type, target, pointerType }) => {
    if (type === 'pointerover') encima = pointerType === 'mouse' ? target : null
    empezar()
  }
  const alPulsar = ({ target }) => {
    pulsado = target instanceof Element ? target.closest('button') : null
  }
  for (const gesto of GESTOS) addEventListener(gesto, alGesto, { capture: true, passive: true })
  addEventListener('click', alPulsar, true)
  if ((navigator.connection?.rtt ?? 0) >= LINEA_LENTA_MS) empezar()
  else addEventListener('load', trasPintar, { once: true })
  setTimeout(empezar, LO_MAS_TARDE_MS)

  const repetir = () => {
    for (const gesto of GESTOS) removeEventListener(gesto, alGesto, true)
    removeEventListener('click', alPulsar, true)
    if (encima?.isConnected && encima.matches(':hover')) {
      encima.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }))
      encima.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
    }
    const enfocado = document.activeElement
    if (enfocado?.matches(':focus-visible')) enfocado.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
    if (pulsado?.isConnected) pulsado.click()
  }
  addEventListener('vivo', repetir, { once: true })
}
