// Evaluates expressions of pipelines with the evaluator of the JavaScript SDK, which has it for cached queries and does
// not export it. Reads one case per line, {fields, value}, where value is the expression as it is sent, and writes one
// result per line: {type, value}, or {unknown} for a function that the evaluator lacks. SDK_MODULES is the folder of
// its modules.
import { readdirSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const folder = join(process.env.SDK_MODULES, '@firebase/firestore/dist')
const file = readdirSync(folder).find(name => /^common-.*\.node\.mjs$/.test(name))
const names = ['toEvaluable', 'Field', 'Constant', 'ListOfExprs', 'FunctionExpression', 'MutableDocument', 'ObjectValue', 'DocumentKey', 'SnapshotVersion', 'FieldPath$1', 'JsonProtoSerializer', 'DatabaseId']

/** Exports the names of the module under names of their own. */
async function load(url, context, next) {
  const out = await next(url, context)
  if (!/@firebase\/firestore\/dist\/common-.*\.node\.mjs$/.test(url)) return out
  return { ...out, source: `${out.source}\nexport { ${NAMES.map(name => `${name} as _${name}`).join(', ')} }\n` }
}
register(`data:text/javascript,${encodeURIComponent(`const NAMES = ${JSON.stringify(names)}; export ${load}`)}`)

const sdk = await import(pathToFileURL(join(folder, file)).href)
const { _toEvaluable, _Field, _Constant, _ListOfExprs, _FunctionExpression, _MutableDocument, _ObjectValue, _DocumentKey, _SnapshotVersion, _FieldPath$1 } = sdk
const serializer = new sdk._JsonProtoSerializer(new sdk._DatabaseId('p', 'd'), true)

/** Returns a value as the SDK's expression. */
function expressionOf(value) {
  if (value.fieldReferenceValue) return new _Field(_FieldPath$1.fromServerFormat(value.fieldReferenceValue))
  if (value.functionValue) return new _FunctionExpression(value.functionValue.name, (value.functionValue.args ?? []).map(expressionOf))
  if (value.arrayValue && hasExpression(value)) return new _ListOfExprs(value.arrayValue.values.map(expressionOf))
  return _Constant._fromProto(value)
}

/** Reports whether an array has an element that is not a constant. */
function hasExpression(value) {
  return (value.arrayValue?.values ?? []).some(item => item.fieldReferenceValue || item.functionValue || hasExpression(item))
}

/** Returns a value with the numbers and times that JSON has no form for as texts. */
function printable(value) {
  if (value === undefined) return undefined
  if ('nullValue' in value) return { nullValue: null }
  if ('doubleValue' in value) return { doubleValue: Object.is(value.doubleValue, -0) ? '-0' : String(value.doubleValue) }
  if ('integerValue' in value) return { integerValue: String(value.integerValue) }
  if ('timestampValue' in value && typeof value.timestampValue === 'object') {
    const { seconds = 0, nanos = 0 } = value.timestampValue
    const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
    return { timestampValue: `${whole}.${String(nanos).padStart(9, '0')}Z` }
  }
  if ('bytesValue' in value && value.bytesValue instanceof Uint8Array) return { bytesValue: Buffer.from(value.bytesValue).toString('base64') }
  if (value.arrayValue) return { arrayValue: { values: (value.arrayValue.values ?? []).map(printable) } }
  if (value.mapValue) {
    const fields = Object.entries(value.mapValue.fields ?? {})
    return { mapValue: { fields: Object.fromEntries(fields.map(([name, item]) => [name, printable(item)])) } }
  }
  return value
}

/** Evaluates one case. */
function evaluate({ fields, value }) {
  const data = new _ObjectValue({ mapValue: { fields } })
  const document = _MutableDocument.newFoundDocument(_DocumentKey.fromPath('c/x'), _SnapshotVersion.min(), _SnapshotVersion.min(), data)
  let evaluable
  try {
    evaluable = _toEvaluable(expressionOf(value))
  } catch (error) {
    if (/^Unknown Expr/.test(error.message)) return { unknown: true }
    throw error
  }
  try {
    const result = evaluable.evaluate({ serializer }, document)
    return { type: result.type, value: printable(result.value) }
  } catch (error) {
    return { type: 'THROWN', text: String(error.message).slice(0, 200) }
  }
}

let out = []
for await (const line of createInterface({ input: process.stdin })) {
  out.push(JSON.stringify(evaluate(JSON.parse(line))))
  if (out.length === 1000) {
    process.stdout.write(`${out.join('\n')}\n`)
    out = []
  }
}
process.stdout.write(out.map(line => `${line}\n`).join(''))
