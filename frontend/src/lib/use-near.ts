import { type RefObject, useEffect, useRef, useState } from 'react'

/** The distance beyond the window's edge that counts as near: half a window. */
const MARGIN = '50% 0px'

/** Whether the visitor has scrolled near an element. */
export function useNear<T extends Element>(): { near: boolean; ref: RefObject<T | null> } {
  const ref = useRef<T>(null)
  const [near, setNear] = useState(false)
  useEffect(() => {
    const node = ref.current
    if (!node || near) return undefined
    const observer = new IntersectionObserver((entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)), {
      rootMargin: MARGIN,
    })
    observer.observe(node)
    return () => observer.disconnect()
  }, [near])
  return { near, ref }
}
