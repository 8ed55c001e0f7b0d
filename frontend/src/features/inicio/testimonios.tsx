import { Imagen } from '../../art/imagen'
import { inicio } from '../../content/inicio'

/** Three voices about the foundation (F-108): one that is heard from afar, two beside it. */
export function Testimonios() {
  const { destacado, lista } = inicio.testimonios
  const grande = lista[destacado]
  return (
    <ul className="grid gap-10 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:gap-14">
      {grande ? (
        <li className="lg:row-span-2">
          <figure className="cartel cartel-sol grid h-full gap-6 sm:grid-cols-[minmax(0,1fr)_11rem] sm:items-center">
            <div>
              <blockquote className="font-titular text-[clamp(1.75rem,1.1rem+2.6vw,3rem)] leading-[1.1] font-extrabold tracking-tight text-balance">
                <p>«{grande.texto}»</p>
              </blockquote>
              <figcaption className="mt-6 font-semibold">{grande.quien}</figcaption>
            </div>
            <Imagen slot="historia-6" decorativa sizes="176px" className="h-auto w-44 rounded-sm border-3 border-[#0b3c49] max-sm:hidden" />
          </figure>
        </li>
      ) : null}
      {lista
        .filter((uno) => uno !== grande)
        .map(({ texto, quien }) => (
          <li key={quien} className="border-acento flex border-t-4 pt-4">
            <figure>
              <blockquote className="font-titular text-xl leading-snug font-bold">
                <p>«{texto}»</p>
              </blockquote>
              <figcaption className="text-suave mt-3 font-semibold">{quien}</figcaption>
            </figure>
          </li>
        ))}
    </ul>
  )
}
