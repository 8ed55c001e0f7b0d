import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../i18n/text'

/** The number of links that are rendered at first, and that each step adds. */
const STEP = 200
/** The number of links from which the list has a filter. */
const MANY = 30

type Item = { id: string; to: string; note?: string; current?: boolean }

/** A list of links. Long lists have a filter and are rendered in parts. */
export function LinkList({ label, items }: { label: string; items: Item[] }) {
  const { t, number } = useText()
  const [text, setText] = useState('')
  const [shown, setShown] = useState(STEP)
  const wanted = text.toLowerCase()
  const found = wanted ? items.filter((item) => item.id.toLowerCase().includes(wanted)) : items
  const left = found.length - shown
  return (
    <>
      {items.length >= MANY && (
        <input
          type="search"
          className="links-filter"
          value={text}
          aria-label={`${t.common.search}: ${label}`}
          placeholder={t.common.search}
          onChange={(event) => {
            setText(event.target.value)
            setShown(STEP)
          }}
        />
      )}
      <ul className="links">
        {found.slice(0, shown).map(({ id, to, note, current }) => (
          <li key={to}>
            <Link to={to} aria-current={current ? 'true' : undefined}>
              <span className="clip">{id}</span>
              {note && <span className="soft small">{note}</span>}
            </Link>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" className="button plain" onClick={() => setShown(shown + STEP)}>
          {t.data.showMore(number(Math.min(left, STEP)), number(left))}
        </button>
      )}
    </>
  )
}
