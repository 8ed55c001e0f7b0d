import type { Slot } from '../art/imagen'

/** Text of the home page. The foundation edits it here. */
export const inicio = {
  titulo: 'Todo por Medio de la Música',
  quienes:
    'Somos una fundación dominicana sin fines de lucro que abre las puertas de la música a niñas, niños y jóvenes. Enseñamos a tocar, a escuchar y a trabajar juntos.',
  lema: 'Donde hay música, hay futuro.',
  donar: 'Donar Ahora',
  conocenos: 'Conócenos',
  galeria: ['hero-1', 'hero-2', 'hero-3', 'hero-4', 'hero-5', 'hero-6'] satisfies Slot[],
  eventos: 'Próximos eventos',
  verTodos: 'Ver todos',
  testimonios: {
    titulo: 'Lo que dicen de nosotros',
    /** Provisional, without names, until the foundation gathers real ones. */
    lista: [
      { texto: 'Cada ensayo me recuerda por qué vale la pena sumar.', quien: 'Colaboradora' },
      { texto: 'Un aliado serio: cumplen, miden y comparten.', quien: 'Directora ejecutiva de otra fundación' },
      { texto: 'Mi hija llega de clase cantando; la casa cambió.', quien: 'Padre de un estudiante' },
    ],
  },
  cinta: {
    titulo: 'Nuestra Inspiración',
    fotos: ['tira-1', 'tira-2', 'tira-3', 'tira-4', 'tira-5', 'tira-6', 'tira-7', 'tira-8', 'tira-9', 'tira-10'] satisfies Slot[],
  },
  boletin: {
    titulo: 'Recibe nuestras noticias',
    texto: 'Conciertos, audiciones y oportunidades, una vez al mes.',
  },
}
