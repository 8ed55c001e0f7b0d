import type { Slot } from '../art/slot-image'

/** A director. Her name is null until the foundation confirms it. */
type Director = { role: string; name: string | null; text: string; slot: Slot }

/** The three directors, in order of position. */
const directors: Director[] = [
  { role: 'Presidenta', name: null, text: 'Marca el rumbo y cuida las alianzas.', slot: 'equipo-1' },
  {
    role: 'Vicepresidenta',
    name: null,
    text: 'Dirige la escuela y acompaña a los maestros.',
    slot: 'equipo-2',
  },
  {
    role: 'Coordinadora de proyectos',
    name: null,
    text: 'Convierte las ideas en fechas, salones y conciertos.',
    slot: 'equipo-3',
  },
]

/** The photo grid of the team. */
const group: Slot[] = ['equipo-grupo-1', 'equipo-grupo-2', 'equipo-grupo-3', 'equipo-grupo-4']

/** Text of /equipo. The foundation edits it here. */
export const equipo = {
  title: 'Nuestro Equipo',
  entry: 'Músicas, maestros y voluntarios que creen que un ensayo bien llevado es una escuela de vida.',
  directors: {
    title: 'Dirección',
    text: 'Tres responsabilidades que se reparten como las voces de una obra: cada una suena distinto y ninguna sobra.',
    list: directors,
    /** Shown while a name is not confirmed. */
    unnamed: 'Nombres y retratos por confirmar.',
  },
  group: {
    title: 'Así trabajamos',
    text: 'Ensayamos en círculo, planificamos con café y guardamos cada instrumento en su sitio.',
    tiles: group,
  },
  philosophy: {
    title: 'Nuestra filosofía',
    list: [
      { name: 'Pasión', mark: 'con brio', text: 'Enseñamos lo que amamos, y se nota.' },
      { name: 'Colaboración', mark: 'tutti', text: 'Nadie suena solo: las decisiones también se toman en conjunto.' },
      { name: 'Innovación', mark: 'ad libitum', text: 'Tambora y partitura, merengue y método: probamos caminos nuevos.' },
      { name: 'Compromiso social', mark: 'crescendo', text: 'Vamos donde la clase de música no llegaba.' },
    ],
  },
  call: {
    title: 'Aquí hay una silla para ti',
    text: 'Maestros, músicos y amigos de la música: escríbenos.',
    button: 'Únete a Nosotros',
  },
}
