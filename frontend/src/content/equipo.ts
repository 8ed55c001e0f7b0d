import type { Slot } from '../art/imagen'

/** A director; her name waits for the foundation. */
type Directora = { cargo: string; nombre: string; porConfirmar: boolean; texto: string; slot: Slot }

/** The three directors, in order of charge. */
const directoras: Directora[] = [
  { cargo: 'Presidenta', nombre: 'Por confirmar', porConfirmar: true, texto: 'Marca el rumbo y cuida las alianzas.', slot: 'equipo-1' },
  {
    cargo: 'Vicepresidenta',
    nombre: 'Por confirmar',
    porConfirmar: true,
    texto: 'Dirige la escuela y acompaña a los maestros.',
    slot: 'equipo-2',
  },
  {
    cargo: 'Coordinadora de proyectos',
    nombre: 'Por confirmar',
    porConfirmar: true,
    texto: 'Convierte las ideas en fechas, salones y conciertos.',
    slot: 'equipo-3',
  },
]

/** The photo grid of the team's life. */
const grupo: Slot[] = ['equipo-grupo-1', 'equipo-grupo-2', 'equipo-grupo-3', 'equipo-grupo-4']

/** Text of /equipo. The foundation edits it here. */
export const equipo = {
  titulo: 'Nuestro Equipo',
  entrada: 'Músicas, maestros y voluntarios que creen que un ensayo bien llevado es una escuela de vida.',
  directoras: { titulo: 'Dirección', lista: directoras },
  grupo: {
    titulo: 'Así trabajamos',
    texto: 'Ensayamos en círculo, planificamos con café y guardamos cada instrumento en su sitio.',
    cuadros: grupo,
  },
  filosofia: {
    titulo: 'Nuestra filosofía',
    lista: [
      { nombre: 'Pasión', texto: 'Enseñamos lo que amamos, y se nota.' },
      { nombre: 'Colaboración', texto: 'Nadie suena solo: las decisiones también se toman en conjunto.' },
      { nombre: 'Innovación', texto: 'Tambora y partitura, merengue y método: probamos caminos nuevos.' },
      { nombre: 'Compromiso social', texto: 'Vamos donde la clase de música no llegaba.' },
    ],
  },
  llamada: {
    titulo: 'Aquí hay una silla para ti',
    texto: 'Maestros, músicos y amigos de la música: escríbenos.',
    boton: 'Únete a Nosotros',
  },
}
