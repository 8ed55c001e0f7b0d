import type { ReactNode } from 'react'

type TileProps = {
  name: string
  /** What the colour of the tile's edge says about its value. */
  tone?: 'good' | 'warn' | 'bad' | undefined
  /** A line below the value. */
  foot?: ReactNode
  children: ReactNode
}

/** A value with its name, in a row of tiles. */
export function Tile({ name, tone, foot, children }: TileProps) {
  return (
    <div className={tone ? `tile ${tone}` : 'tile'}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {foot && <dd className="soft small wrap">{foot}</dd>}
    </div>
  )
}

/** The values that say most about a page's subject. */
export function Tiles({ children }: { children: ReactNode }) {
  return <dl className="tiles">{children}</dl>
}
