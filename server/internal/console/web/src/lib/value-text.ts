import type { Fields, Value } from './value'

/** The path of a document below its database: the part after /documents/. */
export function relativeName(name: string): string {
  const at = name.indexOf('/documents/')
  return at < 0 ? name : name.slice(at + '/documents/'.length)
}

/** A reference as text: a path if it is below root, which ends with /documents/, and otherwise the whole name. */
export const referenceText = (name: string, root: string): string => (name.startsWith(root) ? name.slice(root.length) : name)

/**
 * The reference of a path below root or of a whole name; null if the text is neither. A path has an even number of ids,
 * a name does not.
 */
export function referenceOf(text: string, root: string): string | null {
  const ids = text.split('/')
  if (ids.includes('')) return null
  if (ids.length % 2 === 0) return root + text
  return /^projects\/[^/]+\/databases\/[^/]+\/documents\/[^/]+\//.test(text) ? text : null
}

/** A timestamp in whole seconds since 1970 and the nanoseconds after them. Dates of JavaScript have milliseconds only. */
export function timeParts(iso: string): { seconds: number; nanos: number } {
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? ''
  return { seconds: Date.parse(iso.replace(/\.\d+/, '')) / 1000, nanos: Number(fraction.padEnd(9, '0').slice(0, 9)) }
}

/** A double as text that is different from an integer. */
export function doubleText(n: number): string {
  if (!Number.isFinite(n)) return String(n)
  if (Object.is(n, -0)) return '-0.0'
  const text = String(n)
  return /[.e]/.test(text) ? text : `${text}.0`
}

const MAX_ITEMS = 20

/** A value on one line, for a cell of a table. */
export function valueText(value: Value): string {
  switch (value.type) {
    case 'null':
      return 'null'
    case 'boolean':
      return String(value.value)
    case 'integer':
    case 'string':
    case 'timestamp':
      return value.value
    case 'double':
      return doubleText(value.value)
    case 'bytes':
      return `${byteLength(value.value)} B`
    case 'reference':
      return relativeName(value.value)
    case 'geopoint':
      return `${value.latitude}, ${value.longitude}`
    case 'vector':
      return `[${value.value.slice(0, MAX_ITEMS).join(', ')}${value.value.length > MAX_ITEMS ? ', …' : ''}]`
    case 'array':
      return `[${value.value.slice(0, MAX_ITEMS).map(valueText).join(', ')}${value.value.length > MAX_ITEMS ? ', …' : ''}]`
    case 'map':
      return `{${fieldsText(value.value)}}`
  }
}

function fieldsText(fields: Fields): string {
  const entries = Object.entries(fields)
  const shown = entries.slice(0, MAX_ITEMS).map(([name, value]) => `${name}: ${valueText(value)}`)
  return shown.join(', ') + (entries.length > MAX_ITEMS ? ', …' : '')
}

/** The number of bytes of a base64 text. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}

/** A field's name in a field path: quoted unless it is a plain identifier. */
export function fieldPath(name: string): string {
  return /^[A-Za-z_][A-Za-z_0-9]*$/.test(name) ? name : `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}
