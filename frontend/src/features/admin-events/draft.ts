import * as v from 'valibot'
import { blank, type Values } from './event-values'

const text = v.fallback(v.string(), '')
const schema = v.object({
  title: text,
  description: text,
  date: text,
  time: text,
  location: text,
  featuredArtist: text,
  price: text,
  imageUrl: text,
  imageAlt: text,
})

/**
 * The event that somebody is writing and has not created yet. It lives as long as the browser's tab, so that looking
 * at another tab of the panel, reloading it or signing in again loses nothing; each person has his own.
 */
export function readDraft(uid: string): Values {
  try {
    return v.parse(schema, JSON.parse(sessionStorage.getItem(key(uid)) ?? '{}'))
  } catch {
    // Nothing that this page wrote, or a browser that keeps nothing: an empty form.
    return blank
  }
}

/** Stores the present content of the form; an empty form stores nothing. */
export function keepDraft(uid: string, values: Values): void {
  try {
    if (Object.values(values).every((value) => value === '')) sessionStorage.removeItem(key(uid))
    else sessionStorage.setItem(key(uid), JSON.stringify(values))
  } catch {
    // A full or forbidden store: the text stays in the form alone.
  }
}

function key(uid: string): string {
  return `evento-nuevo:${uid}`
}
