import { impacto } from '../../content/impacto'

/** The figures on a staff, one in each bar. A figure that is not counted yet is a rest. */
export function Counts() {
  const { list, pending, note } = impacto.counts
  return (
    <>
      <dl className="compases">
        {list.map(({ name, figure, text }) => (
          <div key={name} className="compas">
            <dt className="titulo-3 font-titular mt-5 font-extrabold">{name}</dt>
            <dd className="compas-pauta">
              {figure === null ? (
                <span className="compas-silencio">
                  <span className="sr-only">{pending}</span>
                </span>
              ) : (
                <span className="compas-cifra">{figure}</span>
              )}
            </dd>
            <dd className="mt-2">{text}</dd>
            {figure === null ? (
              <dd aria-hidden="true" className="mt-auto pt-3">
                <span className="text-suave text-sm">{pending}</span>
              </dd>
            ) : null}
          </div>
        ))}
      </dl>
      {list.some(({ figure }) => figure === null) ? <p className="text-suave mt-8 max-w-prose">{note}</p> : null}
    </>
  )
}
