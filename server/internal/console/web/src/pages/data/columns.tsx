import { useMemo, useRef, useState } from 'react'
import type { Doc } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { readSetting, writeSetting } from '../../lib/settings'
import { fieldOf } from '../../lib/value'
import { valueText } from '../../lib/value-text'
import { Dialog } from '../../ui/dialog'

const MAX_SHOWN = 8
/** The number of documents that determine the widths of columns, and the bounds of widths in pixels. */
const MEASURED = 30
const MIN_WIDTH = 72
const MAX_WIDTH = 260
/** The approximate width of a letter, and of the padding of a cell. */
const LETTER = 7.4
const AROUND = 26

/** The names of fields, the most frequent first. */
function fieldCounts(docs: readonly Doc[]): string[] {
  const counts = new Map<string, number>()
  for (const doc of docs) for (const name of Object.keys(doc.fields)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name)
}

function stored(collection: string): string[] | null {
  try {
    const names: unknown = JSON.parse(readSetting(`columns.${collection}`) ?? 'null')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : null
  } catch {
    return null
  }
}

/** The width in pixels of a column with some texts. */
function columnWidth(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map((text) => Math.min(text.length, MAX_WIDTH)))
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest * LETTER + AROUND)))
}

export type Columns = { known: string[]; shown: string[]; widths: string; toggle: (name: string) => void }

/** The fields shown as columns: those chosen by the user, otherwise the most frequent ones. Their order does not change. */
export function useColumns(collection: string, docs: Doc[], group: boolean): Columns {
  const [chosen, setChosen] = useState(() => stored(collection))
  const order = useRef<string[]>([])
  const sample = Math.min(docs.length, 500)
  const known = useMemo(() => {
    const found = fieldCounts(docs.slice(0, sample))
    const kept = order.current.filter((name) => found.includes(name))
    order.current = [...kept, ...found.filter((name) => !kept.includes(name))]
    return order.current
  }, [docs, sample])
  const shown = useMemo(() => (chosen ? known.filter((name) => chosen.includes(name)) : known.slice(0, MAX_SHOWN)), [chosen, known])
  // A column keeps the width for its first documents, so that it does not move when others are loaded.
  const measured = useRef(new Map<string, number>())
  const widths = useMemo(() => {
    const first = docs.slice(0, MEASURED)
    if (first.length === 0) return ''
    const width = (name: string | null) => {
      const key = name === null ? '' : `.${name}`
      const texts = () =>
        first.map((doc) => {
          if (name === null) return group ? doc.path : doc.id
          const value = fieldOf(doc.fields, name)
          return value ? valueText(value) : ''
        })
      const px = measured.current.get(key) ?? columnWidth(name === null ? texts() : [name, ...texts()])
      measured.current.set(key, px)
      return px
    }
    return [null, ...shown].map((name, i) => (i === shown.length ? `minmax(${width(name)}px, 1fr)` : `${width(name)}px`)).join(' ')
  }, [docs, shown, group])
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name]
    writeSetting(`columns.${collection}`, JSON.stringify(next))
    setChosen(next)
  }
  return { known, shown, widths, toggle }
}

export function ColumnsMenu({ columns }: { columns: Columns }) {
  const { t, number } = useText()
  const [open, setOpen] = useState(false)
  if (columns.known.length === 0) return null
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {t.data.columns}
      </button>
      {open && (
        <Dialog title={t.data.columns} close={() => setOpen(false)}>
          <p className="soft">{t.data.columnsHint(number(columns.shown.length), number(columns.known.length))}</p>
          <ul className="choices">
            {columns.known.map((name) => (
              <li key={name}>
                <label>
                  <input type="checkbox" checked={columns.shown.includes(name)} onChange={() => columns.toggle(name)} />
                  <span className="mono wrap">{name}</span>
                </label>
              </li>
            ))}
          </ul>
          <div className="dialog-foot">
            <button type="button" className="button primary" onClick={() => setOpen(false)}>
              {t.common.done}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
