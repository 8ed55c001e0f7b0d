import type { ReactNode } from 'react'
import { SlotImage, type Slot } from '../../art/slot-image'
import { es } from '../../i18n/es-admin'

/** An empty list: a small picture and the reason. */
export function Empty({ slot, children, action }: { slot: Slot; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="panel-vacio">
      <SlotImage slot={slot} className="w-40" decorative />
      <p>{children}</p>
      {action}
    </div>
  )
}

/** Grey bars in place of rows that are loading. */
export function Skeleton({ rows, label }: { rows: number; label: string }) {
  return (
    <div className="panel-capa grid gap-3 p-4">
      <p role="status" className="sr-only">
        {label}
      </p>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className="panel-hueso" />
      ))}
    </div>
  )
}

/** An error message with its reason. */
export function Problem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="panel-problema">
      {children}
    </p>
  )
}

/** A list that the server refused or cancelled. Its subscription has ended; reloading the page begins another. */
export function Failed() {
  return (
    <div className="panel-problema flex flex-wrap items-center justify-between gap-2">
      <p role="alert">{es.table.error}</p>
      <button type="button" className="boton" onClick={() => location.reload()}>
        {es.table.retry}
      </button>
    </div>
  )
}
