/** A step and its description. */
export type Step = { name: string; text: string }

/** Steps along a line, in order. */
export function Steps({ steps, className = '' }: { steps: readonly Step[]; className?: string }) {
  return (
    <ol className={`camino ${className}`}>
      {steps.map(({ name, text }) => (
        <li key={name}>
          <h3 className="titulo-3">{name}</h3>
          <p className="mt-1">{text}</p>
        </li>
      ))}
    </ol>
  )
}
