import { type RefObject, useEffect, useRef } from 'react'

/**
 * A button that is disabled while it is busy loses the focus, and a press meanwhile gives it to what surrounds the button.
 * Whoever waits gets it back when the work is done, unless the focus has gone elsewhere by then.
 */
export function useReturnedFocus(busy: boolean): RefObject<HTMLButtonElement | null> {
  const node = useRef<HTMLButtonElement>(null)
  const before = useRef(busy)
  useEffect(() => {
    const term = before.current && !busy
    before.current = busy
    if (term && document.activeElement?.contains(node.current)) node.current?.focus({ preventScroll: true })
  }, [busy])
  return node
}
