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
 * The text of a new event that has not been saved. It is stored for the browser's tab, so that it survives a change of the panel's tab, a
 * reload and a new sign-in. Each user has their own.
 */
export function readDraft(uid: string): Values {
  try {
    return v.parse(schema, JSON.parse(sessionStorage.getItem(key(uid)) ?? '{}'))
  } catch {
    // Foreign data, or a browser without storage: an empty form.
    return blank
  }
}

/** Stores the current content of the form. An empty form stores nothing. */
export function keepDraft(uid: string, values: Values): void {
  try {
    if (Object.values(values).every((value) => value === '')) sessionStorage.removeItem(key(uid))
    else sessionStorage.setItem(key(uid), JSON.stringify(values))
  } catch {
    // Storage is full or forbidden. The text is then only in the form.
  }
}

function key(uid: string): string {
  return `evento-nuevo:${uid}`
}
