import { doubleText, referenceOf, referenceText } from './value-text'
import { type Fields, type Value, vectorFields } from './value'

/**
 * Documents as JSON that people read and write. Values without a type in JSON are objects with one key: {"$timestamp": "…"},
 * {"$bytes": "base64"}, {"$reference": "users/ann"}, {"$geopoint": [lat, lng]}, {"$vector": [1, 2]}, {"$double": "NaN"}.
 * A number with a point or an exponent is a double; other numbers are integers of up to 64 bits. A map with such a key is {"$map": {…}}.
 */
export class JsonProblem extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const TAGS = ['$timestamp', '$bytes', '$reference', '$geopoint', '$vector', '$double', '$map']
const MAX_INT = 9223372036854775807n
const MIN_INT = -9223372036854775808n
const MAX_DEPTH = 100
/** A literal or a number, and the maximum number of its letters. */
const WORD = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const MAX_WORD = 400
/** What a string has to be decoded for, or may not contain. */
// oxlint-disable-next-line no-control-regex -- strings of JSON contain no control characters
const ESCAPED = /[\u0000-\u001f\\]/

/** A parsed JSON value with its position. */
type Node =
  | { kind: 'literal'; value: null | boolean; at: number }
  | { kind: 'string'; value: string; at: number }
  | { kind: 'number'; text: string; at: number }
  | { kind: 'array'; items: Node[]; at: number }
  | { kind: 'object'; entries: [string, Node][]; at: number }

class Parser {
  private at = 0
  private readonly text: string
  constructor(text: string) {
    this.text = text
  }

  whole(): Node {
    const node = this.node(0)
    this.space()
    if (this.at < this.text.length) throw new JsonProblem('unexpected text after the end', this.at)
    return node
  }

  private space() {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      // Documents are parsed at each keystroke, and a regular expression for each letter takes most of that time.
      if (code !== 32 && !(code >= 9 && code <= 13) && !(code > 127 && /\s/.test(this.text[this.at] ?? ''))) return
      this.at++
    }
  }

  private take(expected: string) {
    this.space()
    if (this.text[this.at] !== expected) throw new JsonProblem(`expected ${expected}`, this.at)
    this.at++
  }

  private next(): string {
    this.space()
    return this.text[this.at] ?? ''
  }

  private node(depth: number): Node {
    const first = this.next()
    const at = this.at
    if (depth > MAX_DEPTH) throw new JsonProblem('nested too deeply', at)
    if (first === '{') return this.object(depth)
    if (first === '[') return this.array(depth)
    if (first === '"') return { kind: 'string', value: this.string(), at }
    WORD.lastIndex = at
    const word = WORD.exec(this.text)?.[0]
    if (!word || word.length > MAX_WORD) throw new JsonProblem('expected a value', at)
    this.at += word.length
    if (word === 'null') return { kind: 'literal', value: null, at }
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true', at }
    return { kind: 'number', text: word, at }
  }

  private string(): string {
    const from = this.at
    const end = this.text.indexOf('"', from + 1)
    const plain = end < 0 ? '\\' : this.text.slice(from + 1, end)
    if (!ESCAPED.test(plain)) {
      this.at = end + 1
      return plain
    }
    this.at++
    while (this.at < this.text.length && this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1
    this.at++
    try {
      return String(JSON.parse(this.text.slice(from, this.at)))
    } catch {
      throw new JsonProblem('bad string', from)
    }
  }

  private array(depth: number): Node {
    const at = this.at
    const items: Node[] = []
    this.take('[')
    if (this.next() !== ']') {
      do items.push(this.node(depth + 1))
      while (this.comma())
    }
    this.take(']')
    return { kind: 'array', items, at }
  }

  private object(depth: number): Node {
    const at = this.at
    const entries: [string, Node][] = []
    const names = new Set<string>()
    this.take('{')
    if (this.next() !== '}') {
      do {
        if (this.next() !== '"') throw new JsonProblem('expected a name in quotes', this.at)
        const nameAt = this.at
        const name = this.string()
        if (names.has(name)) throw new JsonProblem(`${name} is there twice`, nameAt)
        names.add(name)
        this.take(':')
        entries.push([name, this.node(depth + 1)])
      } while (this.comma())
    }
    this.take('}')
    return { kind: 'object', entries, at }
  }

  private comma(): boolean {
    if (this.next() !== ',') return false
    this.at++
    return true
  }
}

function numberOf(node: Node): number {
  if (node.kind === 'number') return Number(node.text)
  throw new JsonProblem('expected a number', node.at)
}

function textOf(node: Node): string {
  if (node.kind === 'string') return node.value
  throw new JsonProblem('expected a string', node.at)
}

function numbersOf(node: Node): number[] {
  if (node.kind !== 'array') throw new JsonProblem('expected an array of numbers', node.at)
  return node.items.map(numberOf)
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** The value of an object whose only key is a tag. */
function tagged(tag: string, node: Node, root: string): Value {
  switch (tag) {
    case '$timestamp': {
      const value = textOf(node)
      if (!TIMESTAMP.test(value) || Number.isNaN(Date.parse(value)))
        throw new JsonProblem('expected a time such as 2030-01-31T12:00:00Z', node.at)
      return { type: 'timestamp', value }
    }
    case '$bytes': {
      const value = textOf(node)
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) throw new JsonProblem('expected base64', node.at)
      return { type: 'bytes', value }
    }
    case '$reference': {
      const value = referenceOf(textOf(node), root)
      if (value === null) throw new JsonProblem('expected the path of a document', node.at)
      return { type: 'reference', value }
    }
    case '$geopoint': {
      const [latitude, longitude, ...more] = numbersOf(node)
      if (latitude === undefined || longitude === undefined || more.length > 0)
        throw new JsonProblem('expected [latitude, longitude]', node.at)
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw new JsonProblem('outside the map', node.at)
      return { type: 'geopoint', latitude, longitude }
    }
    case '$vector':
      return { type: 'vector', value: numbersOf(node) }
    case '$double': {
      const value = Number(textOf(node))
      return { type: 'double', value }
    }
    default:
      return mapOf(node, root)
  }
}

function mapOf(node: Node, root: string): Value {
  if (node.kind !== 'object') throw new JsonProblem('expected an object', node.at)
  return { type: 'map', value: Object.fromEntries(node.entries.map(([name, of]) => [name, valueOf(of, root)])) }
}

function valueOf(node: Node, root: string): Value {
  switch (node.kind) {
    case 'literal':
      return node.value === null ? { type: 'null' } : { type: 'boolean', value: node.value }
    case 'string':
      return { type: 'string', value: node.value }
    case 'number': {
      if (/[.eE]/.test(node.text)) return { type: 'double', value: Number(node.text) }
      const n = BigInt(node.text)
      if (n > MAX_INT || n < MIN_INT) throw new JsonProblem('an integer has 64 bits; write a double with a point', node.at)
      return { type: 'integer', value: String(n) }
    }
    case 'array': {
      const nested = node.items.find((item) => item.kind === 'array')
      if (nested) throw new JsonProblem('an array holds no arrays', nested.at)
      return { type: 'array', value: node.items.map((item) => valueOf(item, root)) }
    }
    case 'object': {
      const [first] = node.entries
      if (first && node.entries.length === 1 && TAGS.includes(first[0])) return tagged(first[0], first[1], root)
      return mapOf(node, root)
    }
  }
}

/** Parses a document. Its own keys are not tags. root is the prefix of references, up to /documents/. Throws a JsonProblem. */
export function parseDocument(text: string, root: string): Fields {
  const node = new Parser(text).whole()
  if (node.kind !== 'object') throw new JsonProblem('a document is an object', node.at)
  return Object.fromEntries(node.entries.map(([name, of]) => [name, valueOf(of, root)]))
}

/** Parses one value. */
export function parseValue(text: string, root: string): Value {
  return valueOf(new Parser(text).whole(), root)
}

const quoted = (text: string): string => JSON.stringify(text)

/** A value as JSON. root is that of parseDocument; references to other databases are whole names. */
export function formatValue(value: Value, root: string, indent = ''): string {
  switch (value.type) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'integer':
      return String(value.value)
    case 'string':
      return quoted(value.value)
    case 'double':
      return Number.isFinite(value.value) ? doubleText(value.value) : `{ "$double": "${value.value}" }`
    case 'timestamp':
    case 'bytes':
      return `{ "$${value.type}": ${quoted(value.value)} }`
    case 'reference':
      return `{ "$reference": ${quoted(referenceText(value.value, root))} }`
    case 'geopoint':
      return `{ "$geopoint": [${value.latitude}, ${value.longitude}] }`
    case 'vector':
      return value.value.every(Number.isFinite)
        ? `{ "$vector": [${value.value.map((n) => (Object.is(n, -0) ? '-0' : n)).join(', ')}] }`
        : formatDocument(vectorFields(value.value), root, indent)
    case 'array': {
      if (value.value.length === 0) return '[]'
      const inner = value.value.map((item) => `${indent}  ${formatValue(item, root, `${indent}  `)}`)
      return `[\n${inner.join(',\n')}\n${indent}]`
    }
    case 'map': {
      const names = Object.keys(value.value)
      const own = formatDocument(value.value, root, indent)
      return names.length === 1 && TAGS.includes(names[0] ?? '') ? `{ "$map": ${own} }` : own
    }
  }
}

/** A document as JSON. */
export function formatDocument(fields: Fields, root: string, indent = ''): string {
  const entries = Object.entries(fields)
  if (entries.length === 0) return '{}'
  const inner = entries.map(([name, value]) => `${indent}  ${quoted(name)}: ${formatValue(value, root, `${indent}  `)}`)
  return `{\n${inner.join(',\n')}\n${indent}}`
}

/** The line and column of a position in a text, counted from 1. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
