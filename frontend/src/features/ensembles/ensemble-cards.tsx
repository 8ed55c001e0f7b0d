import { Plate } from '../../art/plate'
import { ensambles } from '../../content/ensambles'

const INKS = ['mar', 'sol', 'coral'] as const

/** The three ensembles. Their panels share a name, so that the browser keeps at most one open (F-201). */
export function EnsembleCards() {
  return (
    <ul className="grid items-start gap-x-8 gap-y-14 lg:grid-cols-3">
      {ensambles.list.map((ensemble, i) => (
        <li key={ensemble.id} className="estampa">
          <Plate slot={ensemble.img} ink={INKS[i % 3] ?? 'mar'} sizes="(min-width: 768px) 373px, 100vw" priority={i === 0} />
          <div className="estampa-texto">
            <p className="etiqueta self-start">{ensemble.ages}</p>
            <h3 className="titulo-3 mt-3">{ensemble.title}</h3>
            <p className="mt-2 mb-4 lg:min-h-14">{ensemble.desc}</p>
            <details name="ensambles" className="desplegable">
              <summary>
                {ensambles.seeDetails}
                <span className="sr-only"> {ensemble.title}</span>
              </summary>
              <ul className="list-disc space-y-2 py-3 pl-6">
                {ensemble.details.map((detail) => (
                  <li key={detail}>{detail}</li>
                ))}
              </ul>
            </details>
          </div>
        </li>
      ))}
    </ul>
  )
}
