import type { Instrumento } from '../art/icono-instrumento'

/** An instrument taught at the school. */
export type FichaInstrumento = { icono: Instrumento; nombre: string; texto: string }

/** The seven instruments: six in the grid, the seventh wide (D-03). */
const lista: FichaInstrumento[] = [
  { icono: 'saxofon', nombre: 'Saxofón', texto: 'Voz cálida del jazz y el merengue.' },
  { icono: 'bajo', nombre: 'Bajo Eléctrico', texto: 'El pulso que sostiene a la banda.' },
  { icono: 'trompeta', nombre: 'Trompeta', texto: 'Brillo y energía.' },
  { icono: 'guitarra', nombre: 'Guitarra', texto: 'Compañera de toda canción.' },
  { icono: 'canto', nombre: 'Canto', texto: 'Tu primer instrumento eres tú.' },
  { icono: 'flauta', nombre: 'Flauta', texto: 'Ligera, ágil y cercana.' },
  { icono: 'bateria', nombre: 'Batería', texto: 'El motor del ritmo.' },
]

/** Text of /instrumentos. The foundation edits it here. */
export const instrumentos = {
  titulo: 'Nuestros Instrumentos',
  entrada: 'Siete maneras de empezar. Prueba, escucha y quédate con la que te haga volver al día siguiente.',
  pedir: 'Solicitar un instrumento',
  lista,
  catalogo: 'Elige el tuyo',
  introduccion: {
    titulo: 'Cómo funciona',
    texto:
      'Cada estudiante prueba varios instrumentos con nuestros maestros antes de elegir. Después lo toma prestado mientras dure el curso, aprende a cuidarlo y lo devuelve listo para quien sigue.',
  },
  detalles: {
    titulo: 'Lo que incluye el préstamo',
    lista: [
      { nombre: 'Instrumento afinado', texto: 'Revisado por un maestro y con su estuche.' },
      { nombre: 'Clase semanal', texto: 'Una hora en grupo pequeño y otra de práctica guiada.' },
      { nombre: 'Mantenimiento', texto: 'Cuerdas, cañas y ajustes durante todo el curso.' },
    ],
  },
  preguntas: {
    titulo: 'Preguntas frecuentes',
    lista: [
      { pregunta: '¿Cómo elijo mi instrumento?', respuesta: 'Prueba varios con nuestros maestros; tu gusto y tu edad mandan.' },
      { pregunta: '¿Cuáles son buenos para principiantes?', respuesta: 'Flauta, guitarra y canto permiten avanzar pronto.' },
      { pregunta: '¿Aceptan donaciones de instrumentos?', respuesta: 'Sí. Escríbenos con una foto y su estado.' },
      { pregunta: '¿Cómo se cuida un instrumento?', respuesta: 'Límpialo tras tocar, guárdalo en su estuche y revísalo cada seis meses.' },
    ],
  },
  formulario: { titulo: 'Solicita un instrumento', texto: 'Dinos cuál te interesa y tu edad; te contactamos para la prueba.' },
}
