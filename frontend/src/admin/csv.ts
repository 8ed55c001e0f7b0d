/** The first characters of texts that spreadsheets evaluate as formulas. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/** One cell. It is always quoted, so that any separator is safe; an apostrophe makes a formula a text. */
function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

/** A table as CSV with a byte order mark, from which spreadsheets detect UTF-8. */
export function toCsv(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((row) => row.map(cell).join(','))
  return `\uFEFF${lines.join('\r\n')}\r\n`
}

/** Saves a text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
