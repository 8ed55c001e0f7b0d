// Before the first paint: applies the chosen theme. Without a choice the browser's preference applies.
try {
  const theme = localStorage.getItem('tema')
  if (theme === 'claro' || theme === 'oscuro') document.documentElement.dataset.tema = theme
} catch {
  // Storage may be forbidden. The browser's preference then applies.
}

// After the first paint: loads the scripts that hydrate a prerendered page, so that they do not delay its content. scripts/build.mjs puts
// them into a template before this script; a page without a template has them in its head. An action of the visitor loads them at once. The
// action is repeated after hydration (src/draw.tsx).
{
  const GESTURES = ['pointerover', 'pointerdown', 'keydown', 'focusin']
  const LATEST_MS = 4000
  // On a slow connection the scripts arrive after the first paint in any case: they are requested at once, behind the visible content.
  const SLOW_LINE_MS = 250
  let pressed = null
  let hovered = null

  const begin = () => {
    const scripts = document.querySelector('template#guiones')
    if (!scripts) return
    scripts.remove()
    document.head.append(document.importNode(scripts.content, true))
  }
  // An observer's first report comes with a frame. Unlike other callbacks for frames it does not request a drawing.
  const afterFrame = (act) => {
    const look = new IntersectionObserver(() => {
      look.disconnect()
      act()
    })
    look.observe(document.documentElement)
  }
  const isVisible = (image) => {
    const { top, bottom, width } = image.getBoundingClientRect()
    return width > 0 && top < innerHeight && bottom > 0 && image.naturalWidth > 0
  }
  // A frame's callbacks come before the frame is on the screen. Chromium reports when each marked picture is (src/art/slot-image.tsx).
  const afterPictures = (act) => {
    const waiting = new Set([...document.querySelectorAll('img[elementtiming]')].filter(isVisible))
    if (waiting.size === 0 || !PerformanceObserver.supportedEntryTypes.includes('element')) return act()
    new PerformanceObserver((list, observer) => {
      for (const { element } of list.getEntries()) waiting.delete(element)
      if (waiting.size > 0) return
      observer.disconnect()
      act()
    }).observe({ type: 'element', buffered: true })
  }
  // A page in the background is not drawn.
  const afterPaint = () => (document.hidden ? begin() : afterFrame(() => afterFrame(() => afterPictures(begin))))

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
    if (!pressed?.isConnected) return
    // Tabs open when the button of the mouse goes down.
    pressed.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    pressed.click()
  }
  addEventListener('vivo', replay, { once: true })
}
