import { useId } from 'react'
import { Campo } from '../../components/campo'
import { BotonEnviar, NotaDatos, Resultado, Trampa } from '../../components/envio'
import { t } from '../../i18n/es'
import { type Receta, useFormulario } from '../../lib/formulario'
import { correo, texto, validarInstrumento } from '../../lib/validacion'

const RECETA: Receta = {
  coleccion: 'IntrumentRental',
  validar: validarInstrumento,
  documento: (campos) => ({
    fullName: texto(campos, 'fullName'),
    email: correo(campos),
    message: texto(campos, 'message'),
    source: 'instrumentos-page',
    status: 'new',
  }),
  fallo: t.errores.instrumento,
}

/** The request for an instrument (F-225, F-226). */
export function FormularioInstrumento() {
  const { estado, props } = useFormulario(RECETA)
  const id = useId()
  const comun = { estado, idMensaje: id, requerido: true }
  return (
    <form {...props} className="grid gap-4">
      <Campo nombre="fullName" etiqueta={t.comun.nombreCompleto} autoComplete="name" largo={120} {...comun} />
      <Campo nombre="email" etiqueta={t.comun.correo} tipo="email" autoComplete="email" largo={254} {...comun} />
      <Campo nombre="message" etiqueta={t.comun.mensaje} largo={5000} parrafo {...comun} />
      <Trampa />
      <Resultado estado={estado} id={id}>
        <p>{t.exitos.instrumentoBreve}</p>
        <p className="font-normal">{t.exitos.instrumento}</p>
      </Resultado>
      <BotonEnviar estado={estado} texto={t.formulario.enviarSolicitud} className="justify-self-start" />
      <NotaDatos texto={t.formulario.retencion} />
    </form>
  )
}
