import { useId } from 'react'
import { Campo } from '../../components/campo'
import { BotonEnviar, NotaDatos, Resultado, Trampa } from '../../components/envio'
import { t } from '../../i18n/es'
import { type Receta, useFormulario } from '../../lib/formulario'
import { correo, texto, validarVoluntario } from '../../lib/validacion'

const RECETA: Receta = {
  coleccion: 'voluntaryAplications',
  validar: validarVoluntario,
  documento: (campos) => ({
    fullName: texto(campos, 'fullName'),
    email: correo(campos),
    phone: texto(campos, 'phone'),
    message: texto(campos, 'message'),
    status: 'new',
    source: 'voluntarios-page',
  }),
  fallo: t.errores.voluntario,
}

/** The volunteers' application (F-211, F-212, F-214). */
export function FormularioVoluntario() {
  const { estado, props } = useFormulario(RECETA)
  const id = useId()
  const comun = { estado, idMensaje: id }
  return (
    <form {...props} className="grid gap-4">
      <Campo nombre="fullName" etiqueta={t.comun.nombreCompleto} autoComplete="name" largo={120} requerido {...comun} />
      <Campo nombre="email" etiqueta={t.comun.correo} tipo="email" autoComplete="email" largo={254} requerido {...comun} />
      <Campo nombre="phone" etiqueta={t.comun.telefono} tipo="tel" autoComplete="tel" largo={40} requerido {...comun} />
      <Campo nombre="message" etiqueta={t.comun.mensajeOpcional} largo={5000} parrafo {...comun} />
      <Trampa />
      <Resultado estado={estado} id={id}>
        <p>{t.exitos.voluntario}</p>
      </Resultado>
      <p>{t.formulario.consentimiento}</p>
      <BotonEnviar estado={estado} texto={t.formulario.enviarSolicitud} className="justify-self-start" />
      <NotaDatos texto={t.formulario.retencion} />
    </form>
  )
}
