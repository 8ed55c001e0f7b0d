/** The state of a history entry while a modal with its own address covers a page. */
type BackgroundState = { background: string; event: string }

/** The state of an entry that opens an event over a page. */
export function overlay(background: string, event: string): BackgroundState {
  return { background, event }
}

function text(state: unknown, key: keyof BackgroundState): string | null {
  if (typeof state !== 'object' || state === null) return null
  const value: unknown = Object.getOwnPropertyDescriptor(state, key)?.value
  return typeof value === 'string' ? value : null
}

/** The page under the modal. */
export const backgroundOf = (state: unknown): string | null => text(state, 'background')

/** The event in the modal. */
export const eventOf = (state: unknown): string | null => text(state, 'event')
