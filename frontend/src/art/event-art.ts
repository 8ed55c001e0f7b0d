import type { Slot } from './slot-image'

/** The drawings, each with the words of titles that it illustrates. The first match is used. */
const DRAWINGS = [
  ['evento-5', /saxo|jazz/],
  ['evento-9', /trompet|trombon|metales|big band|banda|fanfarria/],
  ['evento-10', /flaut|clarinet|viento|maderas/],
  ['evento-2', /guitarr|bolero|serenata|trova|cuerdas/],
  ['evento-3', /acordeon|tipico|bandoneon/],
  ['evento-8', /palos|conga|atabal|cofradia|samba/],
  ['evento-1', /percusion|tambor|guira|merengue|ritmo|bateria/],
  ['evento-6', /coro|coral|canto|cancion|voz|voces|vocal|canta/],
  ['evento-7', /piano|violin|recital|orquesta|camara|sinfoni|concierto|primavera/],
  ['evento-11', /taller|ensayo|audicion|clase|clinica|conversatorio|curso|partitura|mantenimiento|maestr/],
  ['evento-4', /mar|playa|infancia|familia/],
] as const satisfies readonly (readonly [Slot, RegExp])[]

/** The drawings by words, in the order of trying. A tale precedes the means of telling it: «Cuentos con orquesta». */
const NAMED: readonly (readonly [Slot, RegExp])[] = [['evento-4', /cuento/], ...DRAWINGS]

/** The choice of a drawing as data, for the back office, which makes it for an event's page. */
export const choice = {
  words: NAMED.map(([slot, word]) => ({ slot, pattern: word.source })),
  slots: DRAWINGS.map(([slot]) => slot),
}

/** A title in the spelling of the drawings' words: lower case without accents. */
const plainText = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()

/** A number derived from a text, uniformly distributed and always the same. */
function hashOf(text: string): number {
  let hash = 2166136261
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0
  return (Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0) >>> 13
}

/** The drawing of an event without a picture: by the words of its title, otherwise by its id, so that it never changes. */
export function eventArt({ id, title }: { id: string; title: string }): Slot {
  const words = plainText(title)
  const named = NAMED.find(([, word]) => word.test(words))
  return named?.[0] ?? DRAWINGS[hashOf(id) % DRAWINGS.length]?.[0] ?? 'evento-1'
}
