// Before the first paint: the chosen theme; without a choice the browser's preference holds.
try {
  const theme = localStorage.getItem('tema')
  if (theme === 'claro' || theme === 'oscuro') document.documentElement.dataset.tema = theme
} catch {
  // Storage may be forbidden: the browser's preference holds.
}

// After it: the scripts that make a prerendered page live, so that they take nothing from what is seen. scripts/build.mjs
// puts them into a template before this; a page without one has them in its head. What the visitor does before the page is
// live brings them at once, and is told to the page again when it says that it lives (src/draw.tsx).
{
  const GESTURES = ['pointerover', 'pointerdown', 'keydown', 'focusin']
  const LATEST_MS = 4000
  // Over so slow a line they come after the first paint whenever they set out: at once, then, behind what is seen.
  const SLOW_LINE_MS = 250
  let pressed = null
  let hovered = null

  const begin = () => {
    const scripts = document.querySelector('template#guiones')
    if (!scripts) return
    scripts.remove()
    document.head.append(document.importNode(scripts.content, true))
  }
  // Told by an observer, whose first report comes with a frame: of all that waits for one, it alone asks for no drawing.
  const afterFrame = (act) => {
    const look = new IntersectionObserver(() => {
      look.disconnect()
      act()
    })
    look.observe(document.documentElement)
  }
  // A page in the background is not drawn at all.
  const afterPaint = () => (document.hidden ? begin() : afterFrame(() => afterFrame(begin)))

  const onGesture = ({ type, target, pointerType }) => {
    if (type === 'pointerover') hovered = pointerType === 'mouse' ? target : null
    begin()
  }
  const onClick = ({ target }) => {
    pressed = target instanceof Element ? target.closest('button') : null
  }
  for (const gesture of GESTURES) addEventListener(gesture, onGesture, { capture: true, passive: true })
  addEventListener('click', onClick, true)
  if ((navigator.connection?.rtt ?? 0) >= SLOW_LINE_MS) begin()
  else addEventListener('load', afterPaint, { once: true })
  setTimeout(begin, LATEST_MS)

  const replay = () => {
    for (const gesture of GESTURES) removeEventListener(gesture, onGesture, true)
    removeEventListener('click', onClick, true)
    if (hovered?.isConnected && hovered.matches(':hover')) {
      hovered.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }))
      hovered.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
    }
    const focusedNow = document.activeElement
    if (focusedNow?.matches(':focus-visible')) focusedNow.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
    if (pressed?.isConnected) pressed.click()
  }
  addEventListener('vivo', replay, { once: true })
}
