import type { Slot } from '../art/imagen'

/** A featured program: its card and the text of its dialog. */
export type Programa = { id: string; titulo: string; descripcion: string; slot: Slot; dato: string; detalles: string[] }

/** The three featured programs. */
const lista: Programa[] = [
  {
    id: 'composicion',
    titulo: 'Taller de composición',
    descripcion: 'De la primera idea a la obra estrenada.',
    slot: 'programa-1',
    dato: '8 semanas',
    detalles: [
      'Un taller de 8 semanas para quien tiene melodías en la cabeza y no sabe cómo escribirlas.',
      'Cada encuentro une una herramienta (motivo, forma, acompañamiento) y una tarea corta. Al final, los músicos de la casa estrenan las obras en un concierto abierto.',
      'No hace falta haber compuesto antes; sí leer notas o estar cursando teoría musical.',
    ],
  },
  {
    id: 'orquesta',
    titulo: 'Orquesta juvenil',
    descripcion: 'Ensayos semanales y conciertos de temporada.',
    slot: 'programa-2',
    dato: 'Todo el año',
    detalles: [
      'Cuerdas, vientos y percusión se encuentran una vez por semana para preparar los conciertos de temporada.',
      'El repertorio va de los clásicos al merengue sinfónico, y cada parte se adapta al nivel de quien la toca.',
      'Se entra por audición: una pieza a elección y lectura sencilla.',
    ],
  },
  {
    id: 'docentes',
    titulo: 'Formación docente',
    descripcion: 'Herramientas para quienes enseñan música.',
    slot: 'programa-3',
    dato: 'Por módulos',
    detalles: [
      'Para maestros de música de escuelas, iglesias y bandas: módulos cortos que se aplican al día siguiente.',
      'Trabajamos el ensayo, la clase con grupos de distinto nivel, la iniciación de 7 a 12 años y la ejecución de ritmos dominicanos.',
      'Cada participante recibe materiales para su aula y una visita de acompañamiento.',
    ],
  },
]

/** Text of /programas. The foundation edits it here. */
export const programas = {
  titulo: 'Programas',
  entrada: 'Tres maneras de entrar a la música: escribirla, tocarla con otros y enseñarla.',
  destacados: 'Programas destacados',
  lista,
  verDetalles: 'Ver Detalles',
  inscribirse: 'Preguntar por este programa',
  asunto: 'Programa:',
  ensambles: {
    titulo: '¿Ya tocas?',
    texto: 'La orquesta de cámara, la big band y el coro infantil reciben integrantes todo el año.',
    enlace: 'Conocer los ensambles',
  },
  instrumentos: {
    titulo: '¿Aún no sabes qué tocar?',
    texto: 'Siete instrumentos te esperan. Prueba varios con nuestros maestros.',
    enlace: 'Ver los instrumentos',
  },
}
