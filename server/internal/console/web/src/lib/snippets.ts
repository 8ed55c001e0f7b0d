import { type Aggregation, type Query, structuredQuery, wireAggregations } from './query'
import { documentsRoot, type Scope } from './scope'
import { doubleText, relativeName, timeParts } from './value-text'
import type { Value } from './value'

export type Dialect = 'js' | 'node' | 'go' | 'curl'
export type Subject = { scope: Scope; query: Query; source: { collection: string; group: boolean; parent: string }; origin: string }

const quoted = (text: string): string => JSON.stringify(text)

/** A value in JavaScript. node selects the SDK. */
function jsValue(value: Value, node: boolean): string {
  switch (value.type) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'integer':
      return String(value.value)
    case 'double':
      return String(value.value)
    case 'string':
      return quoted(value.value)
    case 'timestamp': {
      const { seconds, nanos } = timeParts(value.value)
      return `new Timestamp(${seconds}, ${nanos})`
    }
    case 'bytes':
      return node ? `Buffer.from(${quoted(value.value)}, "base64")` : `Bytes.fromBase64String(${quoted(value.value)})`
    case 'reference':
      return node ? `db.doc(${quoted(relativeName(value.value))})` : `doc(db, ${quoted(relativeName(value.value))})`
    case 'geopoint':
      return `new GeoPoint(${value.latitude}, ${value.longitude})`
    case 'vector':
      return `${node ? 'FieldValue.vector' : 'vector'}([${value.value.join(', ')}])`
    case 'array':
      return `[${value.value.map((item) => jsValue(item, node)).join(', ')}]`
    case 'map':
      return `{ ${Object.entries(value.value)
        .map(([name, of]) => `${quoted(name)}: ${jsValue(of, node)}`)
        .join(', ')} }`
  }
}

function goValue(value: Value): string {
  switch (value.type) {
    case 'null':
      return 'nil'
    case 'boolean':
      return String(value.value)
    case 'integer':
      return `int64(${value.value})`
    case 'double':
      return Number.isFinite(value.value)
        ? doubleText(value.value)
        : Number.isNaN(value.value)
          ? 'math.NaN()'
          : `math.Inf(${value.value > 0 ? 1 : -1})`
    case 'string':
      return quoted(value.value)
    case 'timestamp': {
      const { seconds, nanos } = timeParts(value.value)
      return `time.Unix(${seconds}, ${nanos}).UTC()`
    }
    case 'bytes':
      return `[]byte{${Array.from(atob(value.value), (byte) => byte.charCodeAt(0)).join(', ')}}`
    case 'reference':
      return `client.Doc(${quoted(relativeName(value.value))})`
    case 'geopoint':
      return `&latlng.LatLng{Latitude: ${value.latitude}, Longitude: ${value.longitude}}`
    case 'vector':
      return `firestore.Vector64{${value.value.join(', ')}}`
    case 'array':
      return `[]any{${value.value.map(goValue).join(', ')}}`
    case 'map':
      return `map[string]any{${Object.entries(value.value)
        .map(([name, of]) => `${quoted(name)}: ${goValue(of)}`)
        .join(', ')}}`
  }
}

const title = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const pathOf = ({ source }: Subject): string => (source.parent ? `${source.parent}/${source.collection}` : source.collection)

function web(subject: Subject): string {
  const { query, source } = subject
  const field = (name: string) => (name === '__name__' ? 'documentId()' : quoted(name))
  const conditions = query.where.map((c) => `where(${field(c.field)}, ${quoted(c.op)}, ${jsValue(c.value, false)})`)
  const orders = query.order.map((o) => `orderBy(${field(o.field)}${o.direction === 'desc' ? ', "desc"' : ''})`)
  const parts = [
    ...(query.match === 'any' && conditions.length > 1 ? [`or(${conditions.join(', ')})`] : conditions),
    ...orders,
    ...(query.limit ? [`limit(${query.limit})`] : []),
  ]
  const base = source.group ? `collectionGroup(db, ${quoted(source.collection)})` : `collection(db, ${quoted(pathOf(subject))})`
  const whole = parts.length === 0 ? `query(${base})` : `query(\n  ${[base, ...parts].join(',\n  ')},\n)`
  const what =
    query.aggregations.length === 0
      ? 'getDocs(q)'
      : `getAggregateFromServer(q, { ${query.aggregations.map((a) => jsAggregation(a, '')).join(', ')} })`
  const names = [
    'query',
    ...new Set(
      [
        ...`${whole} ${what}`.matchAll(
          /\b(?:(?:new )?([A-Z]\w+)\b(?=[.(])|(collectionGroup|collection|where|orderBy|limit|or|doc|documentId|vector|getDocs|getAggregateFromServer|count|sum|average)\()/g,
        ),
      ].map((m) => m[1] ?? m[2] ?? ''),
    ),
  ]
  const imports = [...new Set(names)].filter((name) => !['Date', 'JSON'].includes(name)).toSorted()
  return `import { ${imports.join(', ')} } from "firebase/firestore"\n\nconst q = ${whole}\nconst snapshot = await ${what}\n`
}

function jsAggregation(a: Aggregation, prefix: string): string {
  if (a.kind === 'count') return `count: ${prefix}count()`
  return `${quoted(`${a.kind}_${a.field}`)}: ${prefix}${a.kind === 'sum' ? 'sum' : 'average'}(${quoted(a.field)})`
}

function node(subject: Subject): string {
  const { query, source } = subject
  const field = (name: string) => (name === '__name__' ? 'FieldPath.documentId()' : quoted(name))
  const base = source.group ? `db.collectionGroup(${quoted(source.collection)})` : `db.collection(${quoted(pathOf(subject))})`
  const any = query.match === 'any' && query.where.length > 1
  const filters = query.where.map((c) => `Filter.where(${field(c.field)}, ${quoted(c.op)}, ${jsValue(c.value, true)})`)
  const calls = [
    ...(any
      ? [`.where(Filter.or(${filters.join(', ')}))`]
      : query.where.map((c) => `.where(${field(c.field)}, ${quoted(c.op)}, ${jsValue(c.value, true)})`)),
    ...query.order.map((o) => `.orderBy(${field(o.field)}${o.direction === 'desc' ? ', "desc"' : ''})`),
    ...(query.limit ? [`.limit(${query.limit})`] : []),
    ...(query.aggregations.length > 0
      ? [`.aggregate({ ${query.aggregations.map((a) => jsAggregation(a, 'AggregateField.')).join(', ')} })`]
      : []),
    '.get()',
  ]
  return `import { getFirestore } from "firebase-admin/firestore"\n\nconst db = getFirestore()\nconst snapshot = await ${base}\n  ${calls.join('\n  ')}\n`
}

function go(subject: Subject): string {
  const { query, source } = subject
  const field = (name: string) => (name === '__name__' ? 'firestore.DocumentID' : quoted(name))
  const base = source.group
    ? `client.CollectionGroup(${quoted(source.collection)}).Query`
    : `client.Collection(${quoted(pathOf(subject))}).Query`
  const any = query.match === 'any' && query.where.length > 1
  const filters = query.where.map(
    (c) => `firestore.PropertyFilter{Path: ${field(c.field)}, Operator: ${quoted(c.op)}, Value: ${goValue(c.value)}}`,
  )
  const calls = [
    ...(any
      ? [`WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{\n\t\t${filters.join(',\n\t\t')},\n\t}})`]
      : query.where.map((c) => `Where(${field(c.field)}, ${quoted(c.op)}, ${goValue(c.value)})`)),
    ...query.order.map((o) => `OrderBy(${field(o.field)}, firestore.${o.direction === 'desc' ? 'Desc' : 'Asc'})`),
    ...(query.limit ? [`Limit(${query.limit})`] : []),
  ]
  const text = [base, ...calls].join('.\n\t')
  if (query.aggregations.length === 0) return `docs, err := ${text}.\n\tDocuments(ctx).GetAll()\n`
  const sums = query.aggregations.map((a, i) =>
    a.kind === 'count' ? `WithCount("a${i}")` : `With${title(a.kind)}(${quoted(a.field)}, "a${i}")`,
  )
  return `q := ${text}\nresult, err := q.NewAggregationQuery().\n\t${sums.join('.\n\t')}.\n\tGet(ctx)\n`
}

function curl(subject: Subject): string {
  const { query, source, scope, origin } = subject
  const parent = source.parent ? `${documentsRoot(scope)}/${source.parent}` : documentsRoot(scope)
  const structured = structuredQuery(query, source, `${parent}/${source.collection}`)
  const body =
    query.aggregations.length === 0
      ? { structuredQuery: structured }
      : { structuredAggregationQuery: { structuredQuery: structured, aggregations: wireAggregations(query.aggregations) } }
  const method = query.aggregations.length === 0 ? 'runQuery' : 'runAggregationQuery'
  const text = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl '${origin}/v1/${parent}:${method}' \\\n  -H 'Authorization: Bearer owner' -H 'Content-Type: application/json' \\\n  -d '${text}'\n`
}

/** A query as code for an SDK. */
export function snippet(dialect: Dialect, subject: Subject): string {
  return { js: web, node, go, curl }[dialect](subject)
}
