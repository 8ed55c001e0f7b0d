import { type RefObject, useEffect, useRef } from 'react'

/**
 * Restores the focus to a button that was disabled while busy. Browsers then move the focus to the surrounding content.
 * It is restored when the work is done, unless another element has the focus.
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
