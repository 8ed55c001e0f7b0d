import { Lamina } from '../../art/lamina'
import { ensambles } from '../../content/ensambles'

const TINTAS = ['mar', 'sol', 'coral'] as const

/** The three ensembles; their panels share a name, so that the browser keeps one open at a time (F-201). */
export function FichasEnsambles() {
  return (
    <ul className="grid items-start gap-x-8 gap-y-14 lg:grid-cols-3">
      {ensambles.lista.map((ensamble, i) => (
        <li key={ensamble.id} className="estampa">
          <Lamina slot={ensamble.img} tinta={TINTAS[i % 3] ?? 'mar'} sizes="(min-width: 768px) 373px, 100vw" />
          <div className="estampa-texto">
            <p className="etiqueta self-start">{ensamble.edades}</p>
            <h3 className="titulo-3 mt-3">{ensamble.titulo}</h3>
            <p className="mt-2 mb-4 lg:min-h-14">{ensamble.desc}</p>
            <details name="ensambles" className="desplegable">
              <summary>
                {ensambles.verDetalles}
                <span className="sr-only"> {ensamble.titulo}</span>
              </summary>
              <ul className="list-disc space-y-2 py-3 pl-6">
                {ensamble.detalles.map((detalle) => (
                  <li key={detalle}>{detalle}</li>
                ))}
              </ul>
            </details>
          </div>
        </li>
      ))}
    </ul>
  )
}
