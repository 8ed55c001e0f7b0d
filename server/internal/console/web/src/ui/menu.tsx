import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from './icons'

/** An action. One that deletes is in red below a line. */
type Item = { label: string; act: () => void; disabled?: boolean; danger?: boolean }

/** A button that opens a list of actions: arrow keys move, Escape closes. */
export function Menu({ label, items, children }: { label: string; items: Item[]; children?: ReactNode }) {
  const [open, setOpen] = useState(false)
  const holder = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    holder.current?.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus()
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !holder.current?.contains(event.target)) setOpen(false)
    }
    document.addEventListener('pointerdown', outside)
    return () => document.removeEventListener('pointerdown', outside)
  }, [open])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const all = [...(holder.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])]
    const at = all.findIndex((item) => item === document.activeElement)
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus()
    else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="menu-holder" ref={holder}>
      <button
        ref={button}
        type="button"
        className={`button ${children ? '' : 'plain icon'}`}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name="more" />}
      </button>
      {open && (
        <div className="menu" role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKey}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              className={item.danger ? 'danger' : undefined}
              disabled={item.disabled}
              onClick={() => {
                close()
                item.act()
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
