import { useId } from 'react'
import { useSearchParams } from 'react-router-dom'
import { Campo } from '../../components/campo'
import { BotonEnviar, NotaDatos, Resultado, Trampa } from '../../components/envio'
import { t } from '../../i18n/es'
import { type Receta, useFormulario } from '../../lib/formulario'
import { useHidratado } from '../../lib/use-hidratado'
import { correo, texto, validarContacto } from '../../lib/validacion'

const RECETA: Receta = {
  coleccion: 'ContactRequests',
  validar: (campos, formulario) => {
    const entrada = formulario.elements.namedItem('email')
    return validarContacto(campos, entrada instanceof HTMLInputElement && entrada.validity.typeMismatch)
  },
  documento: (campos) => ({
    name: texto(campos, 'name'),
    email: correo(campos),
    subject: texto(campos, 'subject'),
    message: texto(campos, 'message'),
    status: 'new',
  }),
  fallo: t.errores.contacto,
}

/** The subject that a link brought (D-15): known once the page is alive. */
function useAsunto(): string {
  const [consulta] = useSearchParams()
  const hidratado = useHidratado()
  return hidratado ? (consulta.get('asunto') ?? '').slice(0, 150) : ''
}

/** The contact form (F-161, F-162). */
export function FormularioContacto() {
  const { estado, props } = useFormulario(RECETA)
  const id = useId()
  const asunto = useAsunto()
  const comun = { estado, idMensaje: id, requerido: true }
  return (
    <form {...props} className="grid gap-4">
      <Campo nombre="name" etiqueta={t.formulario.nombre} autoComplete="name" largo={120} {...comun} />
      <Campo nombre="email" etiqueta={t.comun.correo} tipo="email" autoComplete="email" largo={254} {...comun} />
      <Campo key={asunto} nombre="subject" etiqueta={t.formulario.asunto} largo={150} inicial={asunto} {...comun} />
      <Campo nombre="message" etiqueta={t.comun.mensaje} largo={5000} parrafo {...comun} />
      <Trampa />
      <Resultado estado={estado} id={id}>
        <p>{t.exitos.contacto}</p>
      </Resultado>
      <BotonEnviar estado={estado} texto={t.formulario.enviarMensaje} className="justify-self-start" />
      <NotaDatos texto={t.formulario.retencion} />
    </form>
  )
}
