import type { ReactNode } from 'react'

/** The head of a column: its text, or also the class of numbers; a hidden one is for screen readers alone. */
export type Head = string | { text: string; as: 'number' | 'hidden' }

type Props = { label: string; role?: 'region' | 'group'; children: ReactNode }

/** A table that scrolls sideways. label names it for screen readers; the main table of a page is a region, others are groups. */
export function Table({ label, role = 'region', children }: Props) {
  return (
    <div className="scroll-x" tabIndex={0} role={role} aria-label={label}>
      <table className="table">{children}</table>
    </div>
  )
}

/** The table of a list: the heads of its columns, and its rows. */
export function ListTable({ heads, children, ...props }: Props & { heads: readonly Head[] }) {
  return (
    <Table {...props}>
      <thead>
        <tr>
          {heads.map((head) => {
            const { text, as } = typeof head === 'string' ? { text: head, as: null } : head
            return (
              <th scope="col" key={text} className={as === 'number' ? as : undefined}>
                {as === 'hidden' ? <span className="hidden-label">{text}</span> : text}
              </th>
            )
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </Table>
  )
}
