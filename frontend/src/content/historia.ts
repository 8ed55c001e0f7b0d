import type { Slot } from '../art/imagen'

/** A picture of the historical gallery with its caption. */
type Cuadro = { slot: Slot; pie: string }

/** The six pictures, in the order of the story. */
const galeria: Cuadro[] = [
  { slot: 'historia-1', pie: 'Tres hermanas, una misma idea' },
  { slot: 'historia-2', pie: 'La semilla: una melodía y mucha paciencia' },
  { slot: 'historia-3', pie: 'El primer salón, con tres atriles prestados' },
  { slot: 'historia-4', pie: '28 de febrero de 2025: la fundación nace' },
  { slot: 'historia-5', pie: 'La llave: aprender a leer música' },
  { slot: 'historia-6', pie: 'El primer aplauso' },
]

/** Text of /historia. The foundation edits it here. */
export const historia = {
  titulo: 'Nuestra Historia',
  entrada: 'Una fundación joven con una convicción antigua: la música cambia vidas.',
  origen: {
    titulo: 'Cómo empezó',
    texto: 'El 28 de febrero de 2025, tres hermanas constituyeron la fundación con una convicción: la música cambia vidas.',
    detalle:
      'Venían de tocar, de enseñar y de organizar. Habían visto lo que pasa cuando alguien recibe un instrumento y una hora a la semana: llega antes, se queda después, vuelve con un amigo. Decidieron que eso no podía depender de la suerte.',
  },
  /** Provisional, until the founders confirm their words. */
  cita: { texto: 'Empezamos con tres atriles prestados y muchas ganas.', autor: 'Las fundadoras' },
  valores: {
    titulo: 'Lo que nos sostiene',
    lista: [
      { nombre: 'Tenacidad', texto: 'Ensayar cuando nadie mira.' },
      { nombre: 'Compromiso', texto: 'Estar, sobre todo los días difíciles.' },
      { nombre: 'Respeto', texto: 'Escuchar antes de tocar.' },
      { nombre: 'Responsabilidad', texto: 'Rendir cuentas de cada aporte.' },
    ],
  },
  galeria: {
    titulo: 'Galería histórica',
    nota: 'Ilustraciones provisionales, hasta que las sustituyan las fotos de la fundación.',
    cuadros: galeria,
  },
  llamada: { titulo: 'La historia sigue, y cabe más gente', texto: 'Ayúdanos a abrir el próximo salón.', boton: 'Dona Ahora' },
}
