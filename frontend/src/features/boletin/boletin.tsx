import { useId } from 'react'
import { Campo } from '../../components/campo'
import { BotonEnviar, NotaDatos, Resultado, Trampa } from '../../components/envio'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { type Receta, useFormulario } from '../../lib/formulario'
import { correo, validarBoletin } from '../../lib/validacion'

const RECETA: Receta = {
  coleccion: 'Massive Boletin',
  validar: validarBoletin,
  documento: (campos) => ({ email: correo(campos), source: 'homepage' }),
  fallo: t.errores.boletin,
}

/** The newsletter's form (F-110, F-111). */
export function Boletin() {
  const { estado, props } = useFormulario(RECETA)
  const id = useId()
  return (
    <section aria-labelledby="titulo-boletin" className="seccion bg-banda border-linea border-t-2">
      <div className="contenedor grid gap-8 md:grid-cols-2 md:items-center lg:gap-16">
        <div>
          <h2 id="titulo-boletin" className="titulo-2">
            {inicio.boletin.titulo}
          </h2>
          <p className="mt-3 text-lg">{inicio.boletin.texto}</p>
        </div>
        <form {...props} className="grid gap-3">
          <div className="grid gap-3 sm:grid-cols-[1fr_auto] sm:items-end">
            <Campo
              nombre="email"
              etiqueta={t.comun.correo}
              tipo="email"
              autoComplete="email"
              largo={254}
              requerido
              estado={estado}
              idMensaje={id}
            />
            <BotonEnviar estado={estado} texto={t.formulario.suscribirme} className="min-h-12" />
          </div>
          <Trampa />
          <Resultado estado={estado} id={id}>
            <p>{t.exitos.boletin}</p>
          </Resultado>
          <NotaDatos texto={t.formulario.retencionBoletin} />
        </form>
      </div>
    </section>
  )
}
