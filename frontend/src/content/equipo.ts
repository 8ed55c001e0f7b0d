import type { Slot } from '../art/slot-image'

/** A director. Her name is null until the foundation confirms it. */
type Director = {
  role: string
  name: string | null
  text: string
  /** What to write to her about: the link's text, and the subject that the contact form begins with. */
  talk: { text: string; subject: string }
  slot: Slot
}

/** The three directors, in order of position. */
const directors: Director[] = [
  {
    role: 'Presidenta',
    name: null,
    text: 'Marca el rumbo y cuida las alianzas.',
    talk: { text: 'Proponer una alianza', subject: 'Propuesta de alianza' },
    slot: 'equipo-1',
  },
  {
    role: 'Vicepresidenta',
    name: null,
    text: 'Dirige la escuela y acompaña a los maestros.',
    talk: { text: 'Preguntar por las clases', subject: 'Pregunta sobre las clases' },
    slot: 'equipo-2',
  },
  {
    role: 'Coordinadora de proyectos',
    name: null,
    text: 'Convierte las ideas en fechas, salones y conciertos.',
    talk: { text: 'Invitarnos a tocar', subject: 'Invitación a tocar' },
    slot: 'equipo-3',
  },
]

/** The photo grid of the team, with what each picture shows. */
const group: { slot: Slot; text: string }[] = [
  { slot: 'equipo-grupo-1', text: 'En círculo, para escucharnos' },
  { slot: 'equipo-grupo-2', text: 'El plan del mes, con café' },
  { slot: 'equipo-grupo-3', text: 'Todas las manos, antes de cada función' },
  { slot: 'equipo-grupo-4', text: 'Cada instrumento, en su sitio' },
]

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
