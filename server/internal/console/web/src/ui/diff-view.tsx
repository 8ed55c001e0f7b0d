import { type DiffLine, diffLines } from '../lib/diff'

const CONTEXT = 3
const MARKS = { same: ' ', added: '+', removed: '-' } as const

/** The lines near differences; the others are left out. */
function near(lines: DiffLine[]): (DiffLine | null)[] {
  const keep = lines.map((_, i) => lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((line) => line.kind !== 'same'))
  return lines.flatMap((line, i) => (keep[i] ? [line] : keep[i - 1] ? [null] : []))
}

/** Two texts as one, with the removed and added lines marked. */
export function DiffView({ before, after, label, same }: { before: string; after: string; label: string; same: string }) {
  const lines = near(diffLines(before, after))
  if (lines.length === 0) return <p className="soft">{same}</p>
  return (
    <pre className="code diff" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, i) =>
        line === null ? (
          <span key={i} className="soft">
            …{'\n'}
          </span>
        ) : (
          <span key={i} className={line.kind}>
            {MARKS[line.kind]} {line.text}
            {'\n'}
          </span>
        ),
      )}
    </pre>
  )
}
