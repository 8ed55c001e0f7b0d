import type { Slot } from '../art/slot-image'

/** A featured ensemble: its card and the text of its panel. */
export type Ensemble = { id: string; title: string; ages: string; desc: string; img: Slot; details: string[] }

/** A concert of the season. `fecha` is its time in Santo Domingo. A past one is shown as finished. */
export type Concert = { id: string; title: string; date: string; desc: string; img: Slot }

/** The three featured ensembles. */
const list: Ensemble[] = [
  {
    id: 'camara',
    title: 'Orquesta de Cámara Juvenil',
    ages: '12–17 años',
    desc: 'Cuerdas que respiran juntas, de Vivaldi a la mangulina.',
    img: 'ensamble-1',
    details: [
      'De 12 a 17 años, con dos años de instrumento.',
      'Ensayo: sábados por la mañana, dos horas.',
      'Violines, violas, chelos y contrabajo; la parte se adapta a cada nivel.',
    ],
  },
  {
    id: 'big-band',
    title: 'Big Band',
    ages: 'Desde 15 años',
    desc: 'Metales, cañas y sección rítmica: jazz, son y merengue.',
    img: 'ensamble-2',
    details: [
      'Saxofones, trompetas, trombones, piano, bajo y batería.',
      'Ensayo: jueves por la tarde, dos horas y media.',
      'Se pide leer a primera vista en un nivel sencillo y ganas de improvisar.',
    ],
  },
  {
    id: 'coro',
    title: 'Coro Infantil',
    ages: '7–11 años',
    desc: 'La primera orquesta es la voz: canciones, juegos y dos voces.',
    img: 'ensamble-3',
    details: [
      'De 7 a 11 años, sin experiencia previa.',
      'Ensayo: martes y viernes, una hora.',
      'Empieza al unísono y llega a dos voces antes del primer concierto.',
    ],
  },
]

/** The season's concerts; their dates are provisional until the foundation sets them. */
const concerts: Concert[] = [
  {
    id: 'temporada',
    title: 'Concierto de Temporada',
    date: '2027-11-20T19:00:00-04:00',
    desc: 'La Orquesta de Cámara Juvenil abre el telón con música de dos orillas.',
    img: 'concierto-1',
  },
  {
    id: 'noche-big-band',
    title: 'Noche de Big Band',
    date: '2027-12-11T20:00:00-04:00',
    desc: 'Metales bajo la luna: del swing al merengue de orquesta.',
    img: 'concierto-2',
  },
  {
    id: 'voces',
    title: 'Voces de la Infancia',
    date: '2028-02-26T17:00:00-04:00',
    desc: 'El Coro Infantil canta al campo, al mar y a la cigua.',
    img: 'concierto-3',
  },
]

/** Text of /ensambles. The foundation edits it here. */
export const ensambles = {
  title: 'Ensambles',
  entry: 'Tocar con otros es la mitad de la música. Estas son las tres familias de la casa.',
  featured: 'Nuestros ensambles',
  list,
  seeDetails: 'Ver detalles',
  upcoming: 'Próximos conciertos',
  concerts,
  finished: 'Finalizado',
  reserve: 'Reservar →',
  reservations: {
    title: 'Cómo reservar',
    text: 'Las entradas se reservan por nuestros canales de contacto. Escríbenos con tu nombre y la cantidad de personas.',
    link: 'Escribir para reservar',
    target: '/contacto?asunto=Reserva%20de%20entradas',
  },
  audition: {
    title: '¿Quieres tocar con nosotros?',
    text: 'Las audiciones son breves y amables: una pieza que te guste y una conversación.',
    button: 'Aplicar ahora',
    target: '/contacto?asunto=Audici%C3%B3n%20para%20ensambles',
  },
}
