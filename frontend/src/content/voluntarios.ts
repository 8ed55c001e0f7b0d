import type { Slot } from '../art/imagen'

/** A volunteer's story; provisional, first name only. */
type Historia = { slot: Slot; nombre: string; texto: string }

const historias: Historia[] = [
  {
    slot: 'voluntario-1',
    nombre: 'Marisol',
    texto: 'Vine a cargar sillas y terminé copiando partituras. Ahora leo música gracias a los niños del coro.',
  },
  {
    slot: 'voluntario-2',
    nombre: 'Rafael',
    texto: 'Dos horas los sábados. Afino guitarras, preparo el salón y salgo con mejor ánimo del que traje.',
  },
]

/** Text of /voluntarios. The foundation edits it here. */
export const voluntarios = {
  titulo: 'Voluntarios',
  entrada: 'No hace falta ser músico: hace falta querer que la música ocurra.',
  ayudar: 'Quiero ser voluntario',
  beneficios: {
    titulo: 'Lo que te llevas',
    lista: [
      { nombre: 'Comunidad', texto: 'Un equipo que se cuida y celebra cada concierto.' },
      { nombre: 'Certificado de horas', texto: 'Constancia de tu servicio cuando la necesites.' },
      { nombre: 'Formación', texto: 'Talleres con maestros y acceso a los ensayos.' },
      { nombre: 'Impacto real', texto: 'Ves crecer a quienes ayudas, semana a semana.' },
    ],
  },
  historias: { titulo: 'Dos historias', lista: historias },
  formulario: { titulo: 'Solicitud de voluntariado', texto: 'Cuéntanos quién eres; te llamamos para conocernos.' },
  preguntas: {
    titulo: 'Preguntas frecuentes',
    lista: [
      { pregunta: '¿Quién puede aplicar?', respuesta: 'Toda persona mayor de 18 años con ganas de ayudar; no hace falta ser músico.' },
      { pregunta: '¿Cuánto tiempo requiere?', respuesta: 'Desde dos horas a la semana.' },
      { pregunta: '¿Qué beneficios recibo?', respuesta: 'Experiencia, formación y constancia de tus horas.' },
    ],
  },
}
