import type { ReactNode } from 'react'

/** The band at the end of a page: an invitation and its button. */
export function CallToAction({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="llamada">
      <div className="contenedor flex flex-col items-start gap-6 py-14 md:flex-row md:items-center md:justify-between">
        <div className="max-w-prose">
          <h2 className="titulo-2">{title}</h2>
          <p className="mt-2 text-lg">{text}</p>
        </div>
        <div className="shrink-0">{children}</div>
      </div>
    </section>
  )
}
