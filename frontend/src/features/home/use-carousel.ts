import { type FocusEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useInView, useReducedMotion } from '../../lib/use-motion'

/** How long an image is shown (F-101). */
const TURN_MS = 5000
/** The minimum time for which an image is shown after hydration. */
const LEAST_MS = 1500
/** The distance of a swipe to another image, in pixels. */
const GESTURE_PX = 40

/** The index `step` images further in a ring of `total` (F-101: 6→1 and 1→6). */
export function turnaround(index: number, step: number, total: number): number {
  return (index + step + total) % total
}

/**
 * A carousel's state: the index of the image, and whether it advances automatically. It does not while it is paused, hovered, focused by
 * keyboard, out of view, or with reduced motion. «Reanudar» overrides hover and focus.
 */
export function useCarousel(total: number) {
  const [index, setIndex] = useState(0)
  const [choice, setChoice] = useState<'auto' | 'paused' | 'running'>('auto')
  const [attentive, setAttentive] = useState(false)
  const reducedMotion = useReducedMotion()
  const inView = useInView()
  const from = useRef<number | null>(null)
  const pausedNow = choice === 'paused' || (choice === 'auto' && reducedMotion)
  const runs = !pausedNow && inView && (!attentive || choice === 'running')
  const intact = useRef(true)
  const goTo = (target: number) => {
    intact.current = false
    setIndex(turnaround(target, 0, total))
  }

  useEffect(() => {
    if (!runs) return
    // The first image has been visible since the start of the page, however late the hydration was.
    const view = intact.current && performance.now() < TURN_MS ? performance.now() : 0
    // Also keyed by the index: an image chosen by hand is shown for the whole interval.
    const timer = setTimeout(() => setIndex(turnaround(index, 1, total)), Math.max(TURN_MS - view, LEAST_MS))
    return () => clearTimeout(timer)
  }, [runs, index, total])

  const release = () => {
    setAttentive(false)
    setChoice((before) => (before === 'running' && !reducedMotion ? 'auto' : before))
  }
  return {
    index,
    pausedNow,
    goTo,
    toggle: () => setChoice(pausedNow ? 'running' : 'paused'),
    watch: {
      // Set by every part of it: a pointer that was there before hydration never enters.
      onPointerOver: (gesture: PointerEvent) => setAttentive(gesture.pointerType === 'mouse'),
      onPointerLeave: release,
      onFocus: (gesture: FocusEvent) => setAttentive(gesture.target.matches(':focus-visible')),
      onBlur: release,
    },
    gesture: {
      onPointerDown: (gesture: PointerEvent) => {
        from.current = gesture.clientX
      },
      onPointerUp: (gesture: PointerEvent) => {
        const walk = gesture.clientX - (from.current ?? gesture.clientX)
        from.current = null
        if (Math.abs(walk) > GESTURE_PX) goTo(index + (walk < 0 ? 1 : -1))
      },
    },
  }
}
