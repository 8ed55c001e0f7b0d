import { type ReactNode, useId } from 'react'

type Props = { titulo?: string; id?: string; className?: string; ancho?: string; children: ReactNode }

/** A part of a page with the site's rhythm; with a title it is a region of that name. */
export function Seccion({ titulo, id, className = '', ancho = '', children }: Props) {
  const idTitulo = useId()
  return (
    <section id={id} aria-labelledby={titulo ? idTitulo : undefined} className={`seccion ${className}`}>
      <div className={`contenedor ${ancho}`}>
        {titulo ? (
          <h2 id={idTitulo} className="titulo-2 mb-8">
            {titulo}
          </h2>
        ) : null}
        {children}
      </div>
    </section>
  )
}
