// Refuses text in JSX outside of src/i18n and src/content (P-15), where all visible texts are. Text is anything between
// tags or in an attribute that screen readers read, literally or in an expression: a conditional, a concatenation or a
// template.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

const SRC = join(import.meta.dirname, '../src')
const WORD = /\p{L}{2,}/u
const READ_OUT = new Set(['aria-label', 'aria-roledescription', 'aria-valuetext', 'alt', 'title', 'placeholder', 'label', 'hint', 'text'])

/** The literal texts among the possible values of an expression. The results of calls and the values of names are not included. */
function* textsOf(node) {
  switch (node?.type) {
    case 'Literal':
      if (typeof node.value === 'string') yield node
      break
    case 'TemplateLiteral':
      yield* node.quasis.map((quasi) => ({ ...quasi, value: quasi.value.cooked }))
      for (const part of node.expressions) yield* textsOf(part)
      break
    case 'ConditionalExpression':
      yield* textsOf(node.consequent)
      yield* textsOf(node.alternate)
      break
    case 'LogicalExpression':
      if (node.operator !== '&&') yield* textsOf(node.left)
      yield* textsOf(node.right)
      break
    case 'BinaryExpression':
      if (node.operator !== '+') break
      yield* textsOf(node.left)
      yield* textsOf(node.right)
      break
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
      yield* textsOf(node.expression)
      break
  }
}

/** The texts of a file's JSX. */
function* literalsOf(node) {
  if (Array.isArray(node)) {
    for (const part of node) yield* literalsOf(part)
  } else if (node && typeof node === 'object') {
    if (node.type === 'JSXText') yield node
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      for (const child of node.children) if (child.type === 'JSXExpressionContainer') yield* textsOf(child)
    }
    if (node.type === 'JSXAttribute' && READ_OUT.has(node.name.name)) yield* textsOf(node.value)
    for (const part of Object.values(node)) yield* literalsOf(part)
  }
}

/** The words in the JSX of a source text. */
export const wordsIn = (name, code) =>
  [...literalsOf(parseSync(name, code).program)].map(({ value }) => value.trim()).filter((text) => WORD.test(text))

if (process.argv[1] === import.meta.filename) {
  const files = (await readdir(SRC, { recursive: true })).filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
  const found = []
  for (const file of files) {
    const words = wordsIn(file, await readFile(join(SRC, file), 'utf8'))
    found.push(...words.map((text) => `src/${file}: «${text}»`))
  }
  for (const line of found) console.error(line)
  if (found.length > 0) {
    console.error('literal text in JSX: put it in src/i18n or src/content')
    process.exit(1)
  }
}
