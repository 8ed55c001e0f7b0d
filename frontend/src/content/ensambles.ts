import type { Slot } from '../art/imagen'

/** A featured ensemble: its card and what its panel says. */
export type Ensamble = { id: string; titulo: string; edades: string; desc: string; img: Slot; detalles: string[] }

/** A concert of the season. `fecha` is its moment in Santo Domingo; a past one is told as finished. */
export type Concierto = { id: string; titulo: string; fecha: string; desc: string; img: Slot }

/** The three featured ensembles. */
const lista: Ensamble[] = [
  {
    id: 'camara',
    titulo: 'Orquesta de Cámara Juvenil',
    edades: '12–17 años',
    desc: 'Cuerdas que respiran juntas, de Vivaldi a la mangulina.',
    img: 'ensamble-1',
    detalles: [
      'De 12 a 17 años, con dos años de instrumento.',
      'Ensayo: sábados por la mañana, dos horas.',
      'Violines, violas, chelos y contrabajo; la parte se adapta a cada nivel.',
    ],
  },
  {
    id: 'big-band',
    titulo: 'Big Band',
    edades: 'Desde 15 años',
    desc: 'Metales, cañas y sección rítmica: jazz, son y merengue.',
    img: 'ensamble-2',
    detalles: [
      'Saxofones, trompetas, trombones, piano, bajo y batería.',
      'Ensayo: jueves por la tarde, dos horas y media.',
      'Se pide leer a primera vista en un nivel sencillo y ganas de improvisar.',
    ],
  },
  {
    id: 'coro',
    titulo: 'Coro Infantil',
    edades: '7–11 años',
    desc: 'La primera orquesta es la voz: canciones, juegos y dos voces.',
    img: 'ensamble-3',
    detalles: [
      'De 7 a 11 años, sin experiencia previa.',
      'Ensayo: martes y viernes, una hora.',
      'Empieza al unísono y llega a dos voces antes del primer concierto.',
    ],
  },
]

/** The season's concerts; their dates are provisional until the foundation sets them. */
const conciertos: Concierto[] = [
  {
    id: 'temporada',
    titulo: 'Concierto de Temporada',
    fecha: '2027-11-20T19:00:00-04:00',
    desc: 'La Orquesta de Cámara Juvenil abre el telón con música de dos orillas.',
    img: 'concierto-1',
  },
  {
    id: 'noche-big-band',
    titulo: 'Noche de Big Band',
    fecha: '2027-12-11T20:00:00-04:00',
    desc: 'Metales bajo la luna: del swing al merengue de orquesta.',
    img: 'concierto-2',
  },
  {
    id: 'voces',
    titulo: 'Voces de la Infancia',
    fecha: '2028-02-26T17:00:00-04:00',
    desc: 'El Coro Infantil canta al campo, al mar y a la cigua.',
    img: 'concierto-3',
  },
]

/** Text of /ensambles. The foundation edits it here. */
export const ensambles = {
  titulo: 'Ensambles',
  entrada: 'Tocar con otros es la mitad de la música. Estas son las tres familias de la casa.',
  destacados: 'Nuestros ensambles',
  lista,
  verDetalles: 'Ver detalles',
  proximos: 'Próximos conciertos',
  conciertos,
  finalizado: 'Finalizado',
  reservar: 'Reservar →',
  reservas: {
    titulo: 'Cómo reservar',
    texto: 'Las entradas se reservan por nuestros canales de contacto. Escríbenos con tu nombre y la cantidad de personas.',
    enlace: 'Escribir para reservar',
    destino: '/contacto?asunto=Reserva%20de%20entradas',
  },
  audicion: {
    titulo: '¿Quieres tocar con nosotros?',
    texto: 'Las audiciones son breves y amables: una pieza que te guste y una conversación.',
    boton: 'Aplicar ahora',
    destino: '/contacto?asunto=Audici%C3%B3n%20para%20ensambles',
  },
}
