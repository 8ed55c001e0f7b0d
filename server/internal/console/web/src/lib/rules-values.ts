const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of an expression as readable text. The server writes values as {"boolValue": true} and the like; {} is an error. */
export function valueLabel(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value) ?? '?'
  const [entry, ...more] = Object.entries(value)
  if (!entry) return 'error'
  const [kind, inner] = entry
  if (more.length > 0 || !/Value$|^undefined$/.test(kind)) return JSON.stringify(value)
  if (kind === 'nullValue') return 'null'
  if (kind === 'undefined')
    return isObject(inner) && typeof inner['causeMessage'] === 'string' ? `error: ${inner['causeMessage']}` : 'error'
  if (kind === 'stringValue') return JSON.stringify(inner)
  if (kind === 'listValue' && isObject(inner) && Array.isArray(inner['values'])) return `[${inner['values'].map(valueLabel).join(', ')}]`
  if (kind === 'mapValue' && isObject(inner) && isObject(inner['fields'])) {
    return `{${Object.entries(inner['fields'])
      .map(([name, of]) => `${name}: ${valueLabel(of)}`)
      .join(', ')}}`
  }
  if (kind === 'pathValue' && isObject(inner) && Array.isArray(inner['segments'])) {
    return `/${inner['segments'].map(segmentText).join('/')}`
  }
  return isObject(inner) ? JSON.stringify(inner) : String(inner)
}

/** A segment of a path: its name, or a star if it is unknown. */
function segmentText(segment: unknown): string {
  const name = isObject(segment) ? (segment['simple'] ?? segment['capture']) : undefined
  return typeof name === 'string' ? name : '*'
}
