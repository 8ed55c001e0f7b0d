import { formatValue, parseValue } from './json-document'
import { fieldOf, type Fields, type Value } from './value'

const quote = (cell: string): string => (/[",\n\r]/.test(cell) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell)

/** The first characters of cells that spreadsheet programs evaluate as formulas, and the quote that begins an escaped cell. */
const UNSAFE = /^[=+\-@\t\r"＝＋－＠]/

/** A name as a cell, quoted if a spreadsheet program would evaluate it. */
const nameCell = (name: string): string => (UNSAFE.test(name) ? JSON.stringify(name) : name)

/** The inverse of nameCell. */
function nameOfCell(cell: string): string {
  if (!cell.startsWith('"')) return cell
  try {
    const name: unknown = JSON.parse(cell)
    return typeof name === 'string' ? name : cell
  } catch {
    return cell
  }
}

/** A value as a cell: plain text if it is parsed to the same value, otherwise the JSON of documents. */
function cellOf(value: Value | undefined, root: string): string {
  if (!value) return ''
  if (value.type === 'string') return plain(value.value) ? value.value : JSON.stringify(value.value)
  return formatValue(value, root).replaceAll(/\n\s*/g, ' ')
}

/** Reports whether a cell with a text is parsed as a string, here or by a spreadsheet program. */
function plain(text: string): boolean {
  if (UNSAFE.test(text)) return false
  const parsed = valueOfCell(text, '')
  return parsed?.type === 'string' && parsed.value === text
}

/** The value of a cell; undefined if it is empty, which means that the field is missing. */
function valueOfCell(cell: string, root: string): Value | undefined {
  if (cell === '') return undefined
  if (/^(?:[[{"\d-]|true$|false$|null$)/.test(cell)) {
    try {
      return parseValue(cell, root)
    } catch {
      return { type: 'string', value: cell }
    }
  }
  return { type: 'string', value: cell }
}

/** Documents as CSV with a header line. The column __id__ contains the ids. root is that of parseDocument. */
export function writeCsv(docs: readonly { id: string; fields: Fields }[], root: string): string[] {
  const names = [...new Set(docs.flatMap((doc) => Object.keys(doc.fields)))].toSorted()
  const header = ['__id__', ...names.map(nameCell)].map(quote).join(',')
  const lines = docs.map((doc) => [nameCell(doc.id), ...names.map((name) => cellOf(fieldOf(doc.fields, name), root))].map(quote).join(','))
  return [header, ...lines].map((line) => `${line}\r\n`)
}

/** The cells of CSV text according to RFC 4180. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endRow = () => {
    row.push(cell)
    if (row.length > 1 || cell !== '') rows.push(row)
    row = []
    cell = ''
  }
  for (let i = text.startsWith('\ufeff') ? 1 : 0; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c !== '"') cell += c
      else if (text[i + 1] === '"') {
        cell += '"'
        i++
      } else quoted = false
    } else if (c === '"' && cell === '') quoted = true
    else if (c === ',') {
      row.push(cell)
      cell = ''
    } else if (c === '\n') endRow()
    else if (c !== '\r') cell += c
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

/** The documents of CSV text. The column __id__ contains the ids, which are '' without it. */
export function readCsv(text: string, root: string): { id: string; fields: Fields }[] {
  const [first = [], ...rows] = parseCsv(text)
  const header = first.map(nameOfCell)
  return rows.map((row) => {
    const cells = header.map((name, i) => [name, row[i] ?? ''] as const)
    const id = nameOfCell(cells.find(([name]) => name === '__id__')?.[1] ?? '')
    const values = cells.flatMap(([name, cell]) => {
      const value = name === '__id__' || name === '' ? undefined : valueOfCell(cell, root)
      return value ? [[name, value] as const] : []
    })
    return { id, fields: Object.fromEntries(values) }
  })
}
