import type { Slot } from '../art/slot-image'

/** Text of the home page. The foundation edits it here. */
export const inicio = {
  title: 'Todo por Medio de la Música',
  about:
    'Somos una fundación dominicana sin fines de lucro que abre las puertas de la música a niñas, niños y jóvenes. Enseñamos a tocar, a escuchar y a trabajar juntos.',
  motto: 'Donde hay música, hay futuro.',
  donar: 'Donar Ahora',
  meetUs: 'Conócenos',
  gallery: ['hero-1', 'hero-2', 'hero-3', 'hero-4', 'hero-5', 'hero-6'] satisfies Slot[],
  figures: {
    title: 'La fundación en números',
    list: [
      { number: 7, what: 'instrumentos para aprender', to: '/instrumentos' },
      { number: 3, what: 'programas para empezar', to: '/programas' },
      { number: 3, what: 'ensambles para tocar juntos', to: '/ensambles' },
    ],
  },
  events: 'Próximos eventos',
  seeAll: 'Ver todos',
  notifyMe: 'Avísenme por correo',
  testimonials: {
    title: 'Lo que dicen de nosotros',
    /** Provisional and without names, until the foundation collects real ones. */
    list: [
      { text: 'Cada ensayo me recuerda por qué vale la pena sumar.', who: 'Colaboradora' },
      { text: 'Un aliado serio: cumplen, miden y comparten.', who: 'Directora ejecutiva de otra fundación' },
      { text: 'Mi hija llega de clase cantando; la casa cambió.', who: 'Padre de un estudiante' },
    ],
  },
  strip: {
    title: 'Nuestra Inspiración',
    photos: ['tira-1', 'tira-2', 'tira-3', 'tira-4', 'tira-5', 'tira-6', 'tira-7', 'tira-8', 'tira-9', 'tira-10'] satisfies Slot[],
  },
  newsletter: {
    title: 'Recibe nuestras noticias',
    text: 'Conciertos, audiciones y oportunidades, una vez al mes.',
  },
}
