import type { Slot } from '../art/slot-image'

/** A volunteer's story. Provisional, with a first name only. */
type History = { slot: Slot; name: string; text: string }

const stories: History[] = [
  {
    slot: 'voluntario-1',
    name: 'Marisol',
    text: 'Vine a cargar sillas y terminé copiando partituras. Ahora leo música gracias a los niños del coro.',
  },
  {
    slot: 'voluntario-2',
    name: 'Rafael',
    text: 'Dos horas los sábados. Afino guitarras, preparo el salón y salgo con mejor ánimo del que traje.',
  },
]

/** Text of /voluntarios. The foundation edits it here. */
export const voluntarios = {
  title: 'Voluntarios',
  entry: 'No hace falta ser músico: hace falta querer que la música ocurra.',
  apply: 'Quiero ser voluntario',
  benefits: {
    title: 'Lo que te llevas',
    list: [
      { name: 'Comunidad', text: 'Un equipo que se cuida y celebra cada concierto.' },
      { name: 'Certificado de horas', text: 'Constancia de tu servicio cuando la necesites.' },
      { name: 'Formación', text: 'Talleres con maestros y acceso a los ensayos.' },
      { name: 'Impacto real', text: 'Ves crecer a quienes ayudas, semana a semana.' },
    ],
  },
  stories: { title: 'Dos historias', list: stories },
  form: { title: 'Solicitud de voluntariado', text: 'Cuéntanos quién eres; te llamamos para conocernos.' },
  next: {
    title: 'Qué pasa después',
    steps: [
      { name: 'Te llamamos', text: 'Hablamos de tu tiempo y de lo que te gusta hacer.' },
      { name: 'Vienes a un ensayo', text: 'Conoces el salón, a los maestros y a los estudiantes.' },
      { name: 'Eliges tu turno', text: 'Empiezas con alguien que ya sabe cómo va todo.' },
    ],
  },
  questions: {
    title: 'Preguntas frecuentes',
    list: [
      { question: '¿Quién puede aplicar?', answer: 'Toda persona mayor de 18 años con ganas de ayudar; no hace falta ser músico.' },
      { question: '¿Cuánto tiempo requiere?', answer: 'Desde dos horas a la semana.' },
      { question: '¿Qué beneficios recibo?', answer: 'Experiencia, formación y constancia de tus horas.' },
    ],
  },
}
