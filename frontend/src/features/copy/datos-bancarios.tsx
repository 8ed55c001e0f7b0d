import { donar } from '../../content/donar'
import { BotonCopiar } from './boton-copiar'

/** A bank detail with its button. */
function Dato({ nombre, valor }: { nombre: string; valor: string }) {
  return (
    <div className="py-3">
      <dt className="text-suave text-sm">{nombre}</dt>
      <dd className="flex items-center justify-between gap-4">
        <span className="min-w-0 font-semibold wrap-anywhere select-all">{valor}</span>
        <BotonCopiar nombre={/^[A-Z]{2}/.test(nombre) ? nombre : nombre.toLowerCase()} valor={valor} />
      </dd>
    </div>
  )
}

/** The four details of a transfer (F-171), selectable where there is no script. */
export function DatosBancarios({ banco }: { banco: { nombre: string; rnc: string; titular: string; cuenta: string } }) {
  const { transferencia } = donar
  return (
    <dl className="divide-linea mt-4 divide-y">
      <Dato nombre={transferencia.banco} valor={banco.nombre} />
      <Dato nombre={transferencia.rnc} valor={banco.rnc} />
      <Dato nombre={transferencia.titular} valor={banco.titular} />
      <Dato nombre={transferencia.cuenta} valor={banco.cuenta} />
    </dl>
  )
}
