import { Sign } from '../components/sign'
import { type FocusEvent, type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { t } from '../i18n/es'
import { PageLink } from './page-link'
import { GROUPS, type Group } from './menu'

const OPEN_MS = 80
const CLOSE_MS = 200
const LINK = 'flex min-h-11 items-center px-3 font-semibold hover:text-acento aria-[current=page]:text-acento'

type GroupProps = {
  group: Group
  open: boolean
  current: boolean
  onChange: (open: boolean, delay: number) => void
}

/** One dropdown: a button that discloses a list of links, by hover, focus or click. */
function Dropdown({ group, open, current, onChange }: GroupProps) {
  const buttonClasses = useRef<HTMLButtonElement>(null)
  // Focus by keyboard opens it. Focus by a press, or restored by Escape, does not.
  const quiet = useRef(false)
  // A press on an item that hovering has just opened keeps it open.
  const hovered = useRef(false)
  const mouse = (opens: boolean) => (gesture: PointerEvent) => {
    if (gesture.pointerType !== 'mouse') return
    hovered.current = opens && !open
    onChange(opens, opens ? OPEN_MS : CLOSE_MS)
  }
  const onFocus = () => {
    if (!quiet.current) onChange(true, 0)
    quiet.current = false
  }
  const onClick = () => {
    quiet.current = false
    onChange(!open || hovered.current, 0)
    hovered.current = false
  }
  const onExit = (gesture: FocusEvent<HTMLLIElement>) => {
    if (!gesture.currentTarget.contains(gesture.relatedTarget)) onChange(false, 0)
  }
  const onKey = (gesture: KeyboardEvent) => {
    if (gesture.key !== 'Escape' || !open) return
    quiet.current = document.activeElement !== buttonClasses.current
    buttonClasses.current?.focus()
    onChange(false, 0)
  }
  return (
    // The item only observes events inside it. Its button and links are the controls.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li className="relative" onPointerEnter={mouse(true)} onPointerLeave={mouse(false)} onBlur={onExit} onKeyDown={onKey}>
      <button
        ref={buttonClasses}
        type="button"
        aria-expanded={open}
        aria-controls={`menu-${group.id}`}
        onPointerDown={() => {
          quiet.current = true
        }}
        onFocus={onFocus}
        onClick={onClick}
        className={`flex min-h-11 items-center gap-1 px-3 font-semibold hover:text-acento ${current ? 'text-acento' : ''}`}
      >
        {group.text}
        <Sign name="below" size={18} className={open ? 'rotate-180' : ''} />
      </button>
      <ul
        id={`menu-${group.id}`}
        hidden={!open}
        className="border-borde bg-superficie absolute top-full left-0 min-w-52 rounded-sm border-2 py-1"
      >
        {group.entries.map(({ a, text }) => (
          <li key={a}>
            <PageLink to={a} className={`${LINK} px-4`} onClick={() => onChange(false, 0)}>
              {text}
            </PageLink>
          </li>
        ))}
      </ul>
    </li>
  )
}

/** The links of the bar on wide screens, with two dropdowns of which one is open at a time. */
export function Dropdowns() {
  const [open, setOpen] = useState<Group['id'] | null>(null)
  const pause = useRef(0)
  const { pathname } = useLocation()
  useEffect(() => () => clearTimeout(pause.current), [])
  const change = (id: Group['id']) => (opens: boolean, delay: number) => {
    clearTimeout(pause.current)
    const act = () => setOpen((before) => (opens ? id : before === id ? null : before))
    if (delay) pause.current = window.setTimeout(act, delay)
    else act()
  }
  return (
    <ul className="hidden items-center gap-1 lg:flex">
      <li>
        <PageLink to="/" className={LINK}>
          {t.bar.inicio}
        </PageLink>
      </li>
      {GROUPS.map((group) => (
        <Dropdown
          key={group.id}
          group={group}
          open={open === group.id}
          current={group.entries.some(({ a }) => a === pathname)}
          onChange={change(group.id)}
        />
      ))}
      <li>
        <PageLink to="/contacto" className={LINK}>
          {t.bar.contacts}
        </PageLink>
      </li>
    </ul>
  )
}
