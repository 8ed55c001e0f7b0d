import { acerca } from './acerca'
import { donar } from './donar'
import { ensambles } from './ensambles'
import { equipo } from './equipo'
import { historia } from './historia'
import { inicio } from './inicio'
import { instrumentos } from './instrumentos'
import { privacidad } from './privacidad'
import { programas } from './programas'
import { voluntarios } from './voluntarios'

/** A statement on the site that nobody at the foundation has confirmed yet, and the file of src/content where it stands. */
export type HechoPorConfirmar = { archivo: string; hecho: string }

const de = (archivo: string, hechos: readonly string[]): HechoPorConfirmar[] => hechos.map((hecho) => ({ archivo, hecho }))

/** Every fact of the pages' texts that was made up until the foundation gives its own, for `npm run contenido`. */
export const hechosPorConfirmar: readonly HechoPorConfirmar[] = [
  ...de(
    'inicio.ts',
    inicio.testimonios.lista.map(({ texto, quien }) => `testimonio de ${quien}: «${texto}»`),
  ),
  ...de('inicio.ts', [inicio.boletin.texto]),
  ...de('historia.ts', [
    historia.origen.detalle,
    `${historia.cita.autor}: «${historia.cita.texto}»`,
    ...historia.galeria.cuadros.map(({ pie }) => pie),
  ]),
  ...de(
    'voluntarios.ts',
    voluntarios.historias.lista.map(({ nombre, texto }) => `historia de ${nombre}: «${texto}»`),
  ),
  ...de(
    'ensambles.ts',
    ensambles.conciertos.map(({ titulo, fecha }) => `${titulo}: ${fecha}`),
  ),
  ...de(
    'ensambles.ts',
    ensambles.lista.flatMap(({ titulo, detalles }) => detalles.map((detalle) => `${titulo}: ${detalle}`)),
  ),
  ...de(
    'programas.ts',
    programas.lista.flatMap(({ titulo, detalles }) => detalles.map((detalle) => `${titulo}: ${detalle}`)),
  ),
  ...de(
    'equipo.ts',
    equipo.directoras.lista.filter(({ porConfirmar }) => porConfirmar).map(({ cargo, nombre, texto }) => `${cargo}: ${nombre}. ${texto}`),
  ),
  ...de('donar.ts', [
    ...donar.destino.efectos.map(({ monto, que }) => `${monto}: ${que}`),
    `${donar.historia.quien}: «${donar.historia.texto}»`,
  ]),
  ...de('acerca.ts', [acerca.proyecto.detalle]),
  ...de(
    'instrumentos.ts',
    instrumentos.detalles.lista.map(({ nombre, texto }) => `${nombre}: ${texto}`),
  ),
  ...de(
    'privacidad.ts',
    privacidad.secciones.flatMap(({ parrafos }) => parrafos).filter((parrafo) => /\d/.test(parrafo)),
  ),
]
