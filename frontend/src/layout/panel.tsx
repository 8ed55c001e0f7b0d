import { Sign } from '../components/sign'
import { useState } from 'react'
import { t } from '../i18n/es'
import { PageLink } from './page-link'
import { GROUPS, type Group } from './menu'

const ROW =
  'flex min-h-13 w-full items-center justify-between border-linea border-b-2 px-1 text-lg font-semibold aria-[current=page]:text-acento'

/** A group that expands separately (F-015). */
function Expandable({ group, onChoose }: { group: Group; onChoose: () => void }) {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <button type="button" className={ROW} aria-expanded={open} aria-controls={`panel-${group.id}`} onClick={() => setOpen(!open)}>
        {group.text}
        <Sign name="below" className={open ? 'rotate-180' : ''} />
      </button>
      <ul id={`panel-${group.id}`} hidden={!open} className="pl-5">
        {group.entries.map(({ a, text }) => (
          <li key={a}>
            <PageLink to={a} className={ROW} onClick={onChoose}>
              {text}
            </PageLink>
          </li>
        ))}
      </ul>
    </li>
  )
}

/** The menu of narrow screens. It covers the page and has its own scrolling. Choosing a link closes it. */
export function Panel({ onChoose }: { onChoose: () => void }) {
  return (
    <div
      id="panel-menu"
      className="bg-fondo absolute inset-x-0 top-full h-[calc(100dvh-3.5rem)] overflow-y-auto overscroll-contain px-5 pt-2 pb-10 sm:h-[calc(100dvh-4rem)] lg:hidden"
    >
      <ul>
        <li>
          <PageLink to="/" className={ROW} onClick={onChoose}>
            {t.bar.inicio}
          </PageLink>
        </li>
        {GROUPS.map((group) => (
          <Expandable key={group.id} group={group} onChoose={onChoose} />
        ))}
        <li>
          <PageLink to="/contacto" className={ROW} onClick={onChoose}>
            {t.bar.contacts}
          </PageLink>
        </li>
      </ul>
    </div>
  )
}
