import type { ReactNode } from 'react'

/** A table that scrolls sideways. label names it for screen readers; the main table of a page is a region, others are groups. */
export function Table({ label, role = 'region', children }: { label: string; role?: 'region' | 'group'; children: ReactNode }) {
  return (
    <div className="scroll-x" tabIndex={0} role={role} aria-label={label}>
      <table className="table">{children}</table>
    </div>
  )
}
