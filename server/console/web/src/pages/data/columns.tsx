import { useMemo, useRef, useState } from 'react'
import type { Doc } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { readSetting, writeSetting } from '../../lib/settings'
import { Dialog } from '../../ui/dialog'

const MAX_SHOWN = 8

/** The names of fields, the most frequent first. */
export function fieldCounts(docs: readonly Doc[]): string[] {
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

export type Columns = { known: string[]; shown: string[]; toggle: (name: string) => void }

/** The fields that are columns: those that the user chose, otherwise the most frequent ones. Their order does not change. */
export function useColumns(collection: string, docs: Doc[]): Columns {
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
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name]
    writeSetting(`columns.${collection}`, JSON.stringify(next))
    setChosen(next)
  }
  return { known, shown, toggle }
}

export function ColumnsMenu({ columns }: { columns: Columns }) {
  const { t } = useText()
  const [open, setOpen] = useState(false)
  if (columns.known.length === 0) return null
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {t.data.columns}
      </button>
      {open && (
        <Dialog title={t.data.columns} close={() => setOpen(false)}>
          <ul className="stack">
            {columns.known.map((name) => (
              <li key={name}>
                <label className="row">
                  <input type="checkbox" checked={columns.shown.includes(name)} onChange={() => columns.toggle(name)} />
                  <span className="mono wrap">{name}</span>
                </label>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  )
}
