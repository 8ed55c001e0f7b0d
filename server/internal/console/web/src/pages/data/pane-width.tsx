import { type CSSProperties, useState } from 'react'
import { useText } from '../../i18n/text'
import { readSetting, writeSetting } from '../../lib/settings'

/** The bounds and the initial value of the document's width, and the step of a key, in pixels. */
const MIN = 320
const MAX = 1200
const USUAL = 400
const STEP = 40

const bounded = (width: number): number => Math.max(MIN, Math.min(MAX, Math.round(width)))

/** The width of the document beside the table, which this browser stores, as a style of both. */
export function usePaneWidth(): { width: number; setWidth: (width: number) => void; style: CSSProperties } {
  const [width, setWidth] = useState(() => bounded(Number(readSetting('pane')) || USUAL))
  const change = (next: number) => {
    setWidth(bounded(next))
    writeSetting('pane', String(bounded(next)))
  }
  return { width, setWidth: change, style: { '--pane': `${width}px` } as CSSProperties }
}

/** The left edge of the document: it is dragged, or moved with the arrow keys. */
export function PaneEdge({ width, setWidth }: { width: number; setWidth: (width: number) => void }) {
  const { t } = useText()
  return (
    <div
      className="pane-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={t.data.paneWidth}
      aria-valuenow={width}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) setWidth(window.innerWidth - event.clientX)
      }}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowLeft' ? STEP : event.key === 'ArrowRight' ? -STEP : 0
        if (step !== 0) setWidth(width + step)
      }}
    />
  )
}
