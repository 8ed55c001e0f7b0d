/** A question and its answer. */
export type Pregunta = { pregunta: string; respuesta: string }

/** Questions of which one is open at a time: the browser's own exclusive details. */
export function Acordeon({ nombre, preguntas }: { nombre: string; preguntas: Pregunta[] }) {
  return (
    <div className="border-borde border-t-2">
      {preguntas.map(({ pregunta, respuesta }) => (
        <details key={pregunta} name={nombre} className="group border-borde border-b-2">
          <summary className="flex min-h-14 items-center justify-between gap-4 py-4 font-semibold marker:content-none">
            {pregunta}
            <span aria-hidden="true" className="text-acento text-2xl leading-none transition-transform group-open:rotate-45">
              +
            </span>
          </summary>
          <p className="max-w-prose pr-8 pb-5">{respuesta}</p>
        </details>
      ))}
    </div>
  )
}
