import type { Slot } from '../art/slot-image'

/** A picture of the historical gallery with its caption. */
type Tile = { slot: Slot; foot: string }

/** The six pictures, in the order of the story. */
const gallery: Tile[] = [
  { slot: 'historia-1', foot: 'Tres hermanas, una misma idea' },
  { slot: 'historia-2', foot: 'La semilla: una melodía y mucha paciencia' },
  { slot: 'historia-3', foot: 'El primer salón, con tres atriles prestados' },
  { slot: 'historia-4', foot: '28 de febrero de 2025: la fundación nace' },
  { slot: 'historia-5', foot: 'La llave: aprender a leer música' },
  { slot: 'historia-6', foot: 'El primer aplauso' },
]

/** Text of /historia. The foundation edits it here. */
export const historia = {
  title: 'Nuestra Historia',
  entry: 'Una fundación joven con una convicción antigua: la música cambia vidas.',
  origin: {
    title: 'Cómo empezó',
    text: 'El 28 de febrero de 2025, tres hermanas constituyeron la fundación con una convicción: la música cambia vidas.',
    detail:
      'Venían de tocar, de enseñar y de organizar. Habían visto lo que pasa cuando alguien recibe un instrumento y una hora a la semana: llega antes, se queda después, vuelve con un amigo. Decidieron que eso no podía depender de la suerte.',
  },
  /** Provisional, until the founders confirm their words. */
  appointment: { text: 'Empezamos con tres atriles prestados y muchas ganas.', author: 'Las fundadoras' },
  values: {
    title: 'Lo que nos sostiene',
    list: [
      { name: 'Tenacidad', text: 'Ensayar cuando nadie mira.' },
      { name: 'Compromiso', text: 'Estar, sobre todo los días difíciles.' },
      { name: 'Respeto', text: 'Escuchar antes de tocar.' },
      { name: 'Responsabilidad', text: 'Rendir cuentas de cada aporte.' },
    ],
  },
  gallery: {
    title: 'Galería histórica',
    note: 'Ilustraciones provisionales, hasta que las sustituyan las fotos de la fundación.',
    tiles: gallery,
  },
  call: { title: 'La historia sigue, y cabe más gente', text: 'Ayúdanos a abrir el próximo salón.', button: 'Dona Ahora' },
}
