import { expect, test } from 'vitest'
import { type Evaluated, furthest, reasonOf, statementNodes } from './denial'

const SOURCE = `service cloud.firestore {
  match /databases/{database}/documents {
    function signedIn() { return request.auth != null; }
    function isEmail(value) {
      let long = {'n': value.size()}.n > 3;
      return value is string && value == value.lower() && long;
    }
    match /people/{id} {
      allow create: if signedIn() && isEmail(request.resource.data.email) && !blocked;
      allow write: if signedIn() && request.auth.token.admin == true;
      allow update: if (a == 1 || isEmail(b) || c == 2);
    }
  }
}`

const T = { boolValue: true }
const F = { boolValue: false }
const S = (stringValue: string) => ({ stringValue })
const ERROR = { undefined: { causeMessage: 'Property admin is undefined on object.' } }

/** An expression at the first place after another text. */
function at(after: string, text: string, values: unknown[], ...children: Evaluated[]): Evaluated {
  const start = SOURCE.indexOf(text, SOURCE.indexOf(after))
  const line = SOURCE.slice(0, start).split('\n').length
  return { start, end: start + text.length, line, values: values.map((value) => ({ value })), children }
}

const lower = 'value == value.lower()'
const BODY = [
  at('signedIn', 'request.auth != null', [T, T]),
  at('let', "{'n': value.size()}.n > 3", [T]),
  at(
    'return value',
    `value is string && ${lower} && long`,
    [F],
    at(
      'return value',
      `value is string && ${lower}`,
      [F],
      at('return value', 'value is string', [T], at('return value', 'value', [S('ANA@X.do')])),
      at(lower, lower, [F], at(lower, 'value', [S('ANA@X.do')]), at('== value.l', 'value.lower()', [S('ana@x.do')])),
    ),
  ),
]
const call = 'isEmail(request.resource.data.email)'
const CREATE = at(
  'create',
  `signedIn() && ${call} && !blocked`,
  [F],
  at(
    'create',
    `signedIn() && ${call}`,
    [F],
    at('create', 'signedIn()', [T]),
    at('create', call, [F], at('create', 'request.resource.data.email', [S('ANA@X.do')])),
  ),
)
const admin = 'request.auth.token.admin == true'
const WRITE = at(
  'write',
  `signedIn() && ${admin}`,
  [ERROR],
  at('write', 'signedIn()', [T]),
  at('write', admin, [ERROR], at('write', 'request.auth.token.admin', [ERROR])),
)

test('a denial is explained through the functions that the rule calls', () => {
  const nodes = statementNodes(SOURCE, [...BODY, CREATE, WRITE], [{ line: CREATE.line }, { line: WRITE.line }])
  expect(nodes.map((node) => node.line)).toEqual([9, 10])
  const reasons = nodes.map(reasonOf)
  expect(reasons[0]).toEqual({
    steps: [
      { text: 'isEmail(…)', line: 9, error: '' },
      { text: lower, line: 6, error: '' },
    ],
    values: [{ text: 'value', value: '"ANA@X.do"' }],
  })
  expect(reasons[1]).toEqual({ steps: [{ text: admin, line: 10, error: 'Property admin is undefined on object.' }], values: [] })
  expect(furthest(nodes)?.line).toBe(9)
  // The functions of a call are below it, and are no statements of their own.
  expect(nodes[0]?.children[0]?.children[1]?.called.map((one) => one.line)).toEqual([5, 6])
})

test('of alternatives that are all false, the one with the most expressions is named', () => {
  const a = at('update', 'a == 1', [F], at('update', 'a', [{ intValue: '7' }]), at('== 1', '1', [{ intValue: '1' }]))
  const b = at('update', 'isEmail(b)', [F], at('isEmail(b', 'b', [S('ANA@X.do')]))
  const either = at('update', 'a == 1 || isEmail(b)', [F], a, b)
  const whole = at('update', 'a == 1 || isEmail(b) || c == 2', [F], either, at('update', 'c == 2', [F]))
  const [node] = statementNodes(SOURCE, [...BODY, whole], [{ line: whole.line }])
  expect(node && reasonOf(node)?.steps.map((step) => step.text)).toEqual(['isEmail(…)', lower])
})

test('an allowed statement has no reason, and one that is not in the text has no node', () => {
  const allowed = at('write', 'signedIn()', [T])
  const [node] = statementNodes(SOURCE, [allowed], [{ line: allowed.line }])
  expect(node && reasonOf(node)).toBeNull()
  expect(statementNodes(SOURCE, [allowed], [{ line: 2 }])).toEqual([])
  expect(statementNodes('', [], [{ line: 1 }])).toEqual([])
})
