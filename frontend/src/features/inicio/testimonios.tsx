import { inicio } from '../../content/inicio'

const FONDOS = ['cartel-sol', 'cartel-mar', 'cartel-sol'] as const

/** Three voices about the foundation (F-108). */
export function Testimonios() {
  return (
    <ul className="grid gap-8 md:grid-cols-3">
      {inicio.testimonios.lista.map(({ texto, quien }, i) => (
        <li key={quien} className="flex">
          <figure className={`cartel ${FONDOS[i] ?? 'cartel-sol'} flex w-full flex-col`}>
            <blockquote className="font-titular mb-6 text-xl leading-snug font-bold">
              <p>«{texto}»</p>
            </blockquote>
            <figcaption className="mt-auto font-semibold">{quien}</figcaption>
          </figure>
        </li>
      ))}
    </ul>
  )
}
