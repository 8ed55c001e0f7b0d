import type { Slot } from './imagen'

/** The drawings to choose from. */
const EVENT_SLOTS = ['evento-1', 'evento-2', 'evento-3', 'evento-4', 'evento-5', 'evento-6', 'evento-7', 'evento-8'] as const satisfies readonly Slot[]

/** The drawing of an event without a picture: chosen by its id, so that it never changes. */
export function ilustracionDeEvento(id: string): Slot {
  let hash = 2166136261
  for (const letter of id) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0
  return EVENT_SLOTS[(mixed >>> 13) % EVENT_SLOTS.length] ?? 'evento-1'
}
