import { byteIndex } from './bytes'
import { valueLabel } from './rules-values'

/** An expression of rules at a position in bytes, with its values in the order of their evaluation. */
export type Evaluated = {
  start: number
  end: number
  line: number
  values: readonly { value: unknown }[]
  children: readonly Evaluated[]
}

/** An evaluated expression with its text. The expressions of a called function follow those of its arguments. */
export type Node = {
  text: string
  line: number
  /** The readable values, such as true, "text" or error: … */
  labels: readonly string[]
  children: readonly Node[]
  /** The called function's expressions, if the expression calls a function of the rules. */
  called: readonly Node[]
}

type Source = { text: string; at: (byte: number) => number; functions: ReadonlyMap<string, readonly Evaluated[]> }

const CALL = /^([A-Za-z_]\w*)\s*\(/

/** The range of each function in a text: from its name to the brace that closes it. */
function functionRanges(text: string): Map<string, { from: number; to: number }> {
  const ranges = new Map<string, { from: number; to: number }>()
  for (const found of text.matchAll(/\bfunction\s+([A-Za-z_]\w*)\s*\([^)]*\)\s*\{/g)) {
    const name = found[1] ?? ''
    const body = found.index + found[0].length
    const rest = text.slice(body)
    // Bodies contain lets and one return, whose maps may have braces.
    let depth = 1
    let at = 0
    while (at < rest.length && depth > 0) {
      if (rest[at] === '{') depth++
      else if (rest[at] === '}') depth--
      at++
    }
    ranges.set(name, { from: body, to: body + at })
  }
  return ranges
}

function nodeOf(of: Evaluated, source: Source, above: readonly string[]): Node {
  const text = source.text.slice(source.at(of.start), source.at(of.end)).replaceAll(/\s+/g, ' ')
  const name = CALL.exec(text)?.[1] ?? ''
  // A function that calls itself is refused by the compiler; a name in both places is the text of another one.
  const called = above.includes(name) || !text.endsWith(')') ? [] : (source.functions.get(name) ?? [])
  return {
    text,
    line: of.line,
    labels: of.values.map(({ value }) => valueLabel(value)),
    children: of.children.map((child) => nodeOf(child, source, above)),
    called: called.map((root) => nodeOf(root, source, [...above, name])),
  }
}

/** The evaluated statements of a decision, each with the expressions in it and in the functions that it calls, in the order of calls. */
export function statementNodes(text: string, roots: readonly Evaluated[], statements: readonly { line: number }[]): Node[] {
  const at = byteIndex(text)
  const ranges = functionRanges(text)
  const inside = ({ from, to }: { from: number; to: number }) => roots.filter((root) => at(root.start) >= from && at(root.start) < to)
  const functions = new Map([...ranges].map(([name, range]) => [name, inside(range)]))
  const inFunctions = new Set([...functions.values()].flat())
  const source = { text, at, functions }
  return statements.flatMap(({ line }) => {
    const root = roots.find((one) => one.line === line && !inFunctions.has(one))
    return root ? [nodeOf(root, source, [])] : []
  })
}

const isError = (label: string): boolean => label.startsWith('error')
/** The last value, which is that of the last call. */
const last = (node: Node): string => node.labels.at(-1) ?? ''

/** Reports whether an expression was false or had no value. A function is called several times, of which one is enough. */
export const failed = (node: Node): boolean => node.labels.some((label) => label === 'false' || isError(label))

/** The number of evaluated expressions. */
const size = (node: Node): number => [...node.children, ...node.called].reduce((sum, one) => sum + size(one), 1)

/** A step of an explanation: an expression that is false, or has no value for the reason in error. */
type Step = { text: string; line: number; error: string }
/** Why a statement did not allow: each step is the reason of the one before, and the values are those of the last. */
export type Reason = { steps: Step[]; values: { text: string; value: string }[] }

/** The number of letters of an expression or a value that are shown. */
const MAX_TEXT = 120
export const short = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** The operator after an expression's first operand, if it is one of those that combine conditions. */
function combines(node: Node): '&&' | '||' | null {
  const first = node.children[0]
  if (!first) return null
  const from = node.text.indexOf(first.text)
  const found = from < 0 ? null : /^[\s)]*(&&|\|\|)/.exec(node.text.slice(from + first.text.length))?.[1]
  return found === '&&' || found === '||' ? found : null
}

/** The part that decided that a node failed. */
function decisive(node: Node): Node {
  const how = combines(node)
  const parts = node.children.filter(failed)
  const part = how === '||' ? parts.toSorted((a, b) => size(b) - size(a))[0] : how === '&&' ? parts.at(-1) : undefined
  return part ? decisive(part) : node
}

/** The operands of an expression with their values, without literals and what is computed from another operand. */
function operands(node: Node): Reason['values'] {
  const parts = node.children.length === 1 && node.text.startsWith('!') ? (node.children[0]?.children ?? []) : node.children
  const named = parts.filter((part) => part.labels.length > 0 && part.text !== last(part) && !isLiteral(part.text) && !isError(last(part)))
  return named
    .filter((part) => !named.some((other) => other !== part && part.text.startsWith(`${other.text}.`)))
    .map((part) => ({ text: short(part.text), value: short(last(part)) }))
}

const isLiteral = (text: string): boolean => /^(?:['"].*['"]|-?\d[\d.]*|true|false|null|\[\s*\])$/.test(text)

/** Explains why a statement did not allow; null if it did. */
export function reasonOf(statement: Node): Reason | null {
  if (!failed(statement)) return null
  const steps: Step[] = []
  let node = statement
  for (;;) {
    node = decisive(node)
    const inner = node.called.findLast(failed)
    const text = inner ? `${CALL.exec(node.text)?.[1] ?? ''}(…)` : short(node.text)
    const error = node.labels.includes('false') ? '' : (node.labels.find(isError) ?? '')
    steps.push({ text, line: node.line, error: inner ? '' : error.replace(/^error:? ?/, '') || (error && '?') })
    if (!inner) return { steps, values: operands(node) }
    node = inner
  }
}

/** The statement that came furthest before it was false: the one with the most evaluated expressions. */
export const furthest = (statements: readonly Node[]): Node | null => statements.toSorted((a, b) => size(b) - size(a))[0] ?? null
