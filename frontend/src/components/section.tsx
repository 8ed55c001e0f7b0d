import { type ReactNode, useId } from 'react'

type Props = { title?: string; id?: string; className?: string; width?: string; children: ReactNode }

/** A part of a page with the site's spacing. With a title it is a region of that name. */
export function Section({ title, id, className = '', width = '', children }: Props) {
  const titleId = useId()
  return (
    <section id={id} aria-labelledby={title ? titleId : undefined} className={`seccion ${className}`}>
      <div className={`contenedor ${width}`}>
        {title ? (
          <h2 id={titleId} className="titulo-2 mb-8">
            {title}
          </h2>
        ) : null}
        {children}
      </div>
    </section>
  )
}
