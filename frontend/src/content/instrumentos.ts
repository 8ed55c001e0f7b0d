import type { Instrument } from '../art/instrument-icon'

/** An instrument taught at the school. */
export type InstrumentCard = { icon: Instrument; name: string; text: string }

/** The seven instruments: six in the grid, the seventh wide (D-03). */
const list: InstrumentCard[] = [
  { icon: 'saxofon', name: 'Saxofón', text: 'Voz cálida del jazz y el merengue.' },
  { icon: 'bajo', name: 'Bajo Eléctrico', text: 'El pulso que sostiene a la banda.' },
  { icon: 'trompeta', name: 'Trompeta', text: 'Brillo y energía.' },
  { icon: 'guitarra', name: 'Guitarra', text: 'Compañera de toda canción.' },
  { icon: 'canto', name: 'Canto', text: 'Tu primer instrumento eres tú.' },
  { icon: 'flauta', name: 'Flauta', text: 'Ligera, ágil y cercana.' },
  { icon: 'bateria', name: 'Batería', text: 'El motor del ritmo.' },
]

/** Text of /instrumentos. The foundation edits it here. */
export const instrumentos = {
  title: 'Nuestros Instrumentos',
  entry: 'Siete maneras de empezar. Prueba, escucha y quédate con la que te haga volver al día siguiente.',
  ask: 'Solicitar un instrumento',
  list,
  catalogue: 'Elige el tuyo',
  introduction: {
    title: 'Cómo funciona',
    steps: [
      { name: 'Prueba', text: 'Varios instrumentos, con nuestros maestros, antes de elegir.' },
      { name: 'Llévalo a casa', text: 'Es un préstamo que dura lo que dure el curso.' },
      { name: 'Cuídalo', text: 'Aprendes a limpiarlo, guardarlo y afinarlo.' },
      { name: 'Devuélvelo', text: 'Listo para quien sigue.' },
    ],
  },
  details: {
    title: 'Lo que incluye el préstamo',
    list: [
      { name: 'Instrumento afinado', text: 'Revisado por un maestro y con su estuche.' },
      { name: 'Clase semanal', text: 'Una hora en grupo pequeño y otra de práctica guiada.' },
      { name: 'Mantenimiento', text: 'Cuerdas, cañas y ajustes durante todo el curso.' },
    ],
  },
  questions: {
    title: 'Preguntas frecuentes',
    list: [
      { question: '¿Cómo elijo mi instrumento?', answer: 'Prueba varios con nuestros maestros; tu gusto y tu edad mandan.' },
      { question: '¿Cuáles son buenos para principiantes?', answer: 'Flauta, guitarra y canto permiten avanzar pronto.' },
      { question: '¿Aceptan donaciones de instrumentos?', answer: 'Sí. Escríbenos con una foto y su estado.' },
      { question: '¿Cómo se cuida un instrumento?', answer: 'Límpialo tras tocar, guárdalo en su estuche y revísalo cada seis meses.' },
    ],
  },
  form: { title: 'Solicita un instrumento', text: 'Dinos cuál te interesa y tu edad; te contactamos para la prueba.' },
  /** The text that a card writes into the form's message. */
  wish: (name: string) => `Me interesa: ${name}.`,
  doubts: { title: '¿Prefieres hablarlo?', text: 'Te ayudamos a elegir, sin compromiso.', whatsapp: 'Escribir por WhatsApp' },
}
