import type { Slot } from '../art/slot-image'

/** A part of a program's details. */
type Part = { name: string; text: string }

/** A featured program: its card, and the text of its dialog and its page. */
export type Program = {
  id: 'composicion' | 'orquesta' | 'docentes'
  title: string
  description: string
  slot: Slot
  detail: string
  details: Part[]
}

/** The three featured programs. */
const list: Program[] = [
  {
    id: 'composicion',
    title: 'Taller de composición',
    description: 'De la primera idea a la obra estrenada.',
    slot: 'programa-1',
    detail: '8 semanas',
    details: [
      { name: 'De qué trata', text: 'Un taller de 8 semanas para quien tiene melodías en la cabeza y no sabe cómo escribirlas.' },
      {
        name: 'Cómo es',
        text: 'Cada encuentro une una herramienta (motivo, forma, acompañamiento) y una tarea corta. Al final, los músicos de la casa estrenan las obras en un concierto abierto.',
      },
      { name: 'Qué necesitas', text: 'No hace falta haber compuesto antes; sí leer notas o estar cursando teoría musical.' },
    ],
  },
  {
    id: 'orquesta',
    title: 'Orquesta juvenil',
    description: 'Ensayos semanales y conciertos de temporada.',
    slot: 'programa-2',
    detail: 'Todo el año',
    details: [
      {
        name: 'De qué trata',
        text: 'Cuerdas, vientos y percusión se encuentran una vez por semana para preparar los conciertos de temporada.',
      },
      {
        name: 'Qué se toca',
        text: 'El repertorio va de los clásicos al merengue sinfónico, y cada parte se adapta al nivel de quien la toca.',
      },
      { name: 'Cómo se entra', text: 'Se entra por audición: una pieza a elección y lectura sencilla.' },
    ],
  },
  {
    id: 'docentes',
    title: 'Formación docente',
    description: 'Herramientas para quienes enseñan música.',
    slot: 'programa-3',
    detail: 'Por módulos',
    details: [
      {
        name: 'Para quién',
        text: 'Para maestros de música de escuelas, iglesias y bandas: módulos cortos que se aplican al día siguiente.',
      },
      {
        name: 'Qué se trabaja',
        text: 'Trabajamos el ensayo, la clase con grupos de distinto nivel, la iniciación de 7 a 12 años y la ejecución de ritmos dominicanos.',
      },
      { name: 'Qué recibes', text: 'Cada participante recibe materiales para su aula y una visita de acompañamiento.' },
    ],
  },
]

/** Text of /programas. The foundation edits it here. */
export const programas = {
  title: 'Programas',
  entry: 'Tres maneras de entrar a la música: escribirla, tocarla con otros y enseñarla.',
  featured: 'Programas destacados',
  list,
  seeDetails: 'Ver Detalles',
  enrol: 'Preguntar por este programa',
  page: 'Ver la página del programa',
  back: 'Todos los programas',
  others: 'Otros programas',
  call: { title: '¿Te interesa?', text: 'Escríbenos y te contamos las fechas del próximo grupo.' },
  subject: 'Programa:',
  ensambles: {
    title: '¿Ya tocas?',
    text: 'La orquesta de cámara, la big band y el coro infantil reciben integrantes todo el año.',
    link: 'Conocer los ensambles',
  },
  instrumentos: {
    title: '¿Aún no sabes qué tocar?',
    text: 'Siete instrumentos te esperan. Prueba varios con nuestros maestros.',
    link: 'Ver los instrumentos',
  },
}
