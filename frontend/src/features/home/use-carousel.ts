import { type FocusEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useInView, useReducedMotion } from '../../lib/use-motion'

/** How long an image stays (F-101). */
const TURN_MS = 5000
/** How long it stays at least once the page is alive. */
const LEAST_MS = 1500
/** How far a finger moves before it means "another image". */
const GESTURE_PX = 40

/** The index `step` images further in a ring of `total` (F-101: 6→1 and 1→6). */
export function turnaround(index: number, step: number, total: number): number {
  return (index + step + total) % total
}

/**
 * A carousel's state: which image, and whether it moves by itself. It rests while paused, hovered, focused by keyboard,
 * out of sight, or when the visitor wants less motion; who presses «Reanudar» means it, and overrules hover and focus.
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
    // The first image has been in sight since the page began, however late the page came alive.
    const view = intact.current && performance.now() < TURN_MS ? performance.now() : 0
    // Keyed by the index too: an image chosen by hand stays its whole turn.
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
      // Of every part of it: a pointer that was there before the page came alive never enters.
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
