import { formatDocument, JsonProblem, parseValue } from './json-document'
import type { Fields, Value } from './value'

/** Documents as a JSON object by id. root is that of parseDocument. */
export function writeJson(docs: readonly { id: string; fields: Fields }[], root: string): string[] {
  if (docs.length === 0) return ['{}\n']
  return [
    '{\n',
    ...docs.map((doc, i) => `  ${JSON.stringify(doc.id)}: ${formatDocument(doc.fields, root, '  ')}${i < docs.length - 1 ? ',' : ''}\n`),
    '}\n',
  ]
}

function documentOf(value: Value, id: string): { id: string; fields: Fields } {
  if (value.type !== 'map') throw new JsonProblem('each document is an object', 0)
  const named = value.value['__id__']
  const fields = Object.fromEntries(Object.entries(value.value).filter(([name]) => name !== '__id__'))
  return { id: named?.type === 'string' ? named.value : id, fields }
}

/** The documents of JSON text: an object by id, or an array of documents with an optional __id__. */
export function readJson(text: string, root: string): { id: string; fields: Fields }[] {
  const value = parseValue(text, root)
  if (value.type === 'array') return value.value.map((item) => documentOf(item, ''))
  if (value.type === 'map') return Object.entries(value.value).map(([id, item]) => documentOf(item, id))
  throw new JsonProblem('expected an object or an array of documents', 0)
}
