import type { Pregunta } from '../components/acordeon'

/** What an amount does. Provisional, until the foundation confirms its costs. */
type Efecto = { monto: string; que: string; detalle: string }

const efectos: Efecto[] = [
  { monto: 'RD$ 500', que: 'Un juego de cuerdas', detalle: 'Una guitarra de la escuela vuelve a sonar y no falta a la próxima clase.' },
  {
    monto: 'RD$ 1,500',
    que: 'Un mes de clases',
    detalle: 'Cuatro clases en grupo, con maestro e instrumento prestado, para una niña o un niño.',
  },
  {
    monto: 'RD$ 5,000',
    que: 'Un instrumento de vuelta',
    detalle: 'La reparación completa de una trompeta o un saxofón que alguien espera.',
  },
]

const preguntas: Pregunta[] = [
  {
    pregunta: '¿Me dan un recibo?',
    respuesta:
      'Sí. Envíanos el comprobante de tu transferencia o el correo de PayPal y te haremos llegar el recibo a nombre de quien nos digas.',
  },
  {
    pregunta: '¿Puedo donar desde otro país?',
    respuesta: 'Sí, por PayPal: con tarjeta o con tu cuenta, en la moneda que uses.',
  },
  {
    pregunta: '¿Aceptan instrumentos usados?',
    respuesta: 'Sí, si se pueden reparar. Escríbenos con una foto y cuéntanos su estado; te decimos si lo podemos recibir.',
  },
  {
    pregunta: '¿Cómo sé en qué se usó mi aporte?',
    respuesta: 'Escríbenos cuando quieras y te contamos en qué se usó. Lo más simple es venir a escuchar un ensayo.',
  },
]

/** Text of /donar. Bank details and addresses live in sitio.ts. */
export const donar = {
  titulo: 'Donar',
  entrada: 'Tu aporte compra cuerdas, cañas y horas de clase.',
  elegir: 'Elegir cómo donar',
  destino: { titulo: 'A dónde va tu aporte', efectos },
  /** Provisional, without a name, until a family agrees to tell it. */
  historia: {
    titulo: 'Una historia',
    texto:
      'Llegó con su hermano, que venía a clase de tambora. Se quedó en la puerta tres sábados. Al cuarto pidió las baquetas. Hoy abre el ensayo y enseña el compás a quien llega nuevo.',
    quien: 'Una maestra de percusión',
  },
  metodos: 'Tres maneras de donar',
  paypal: {
    titulo: 'PayPal',
    texto: 'Con tarjeta o con tu cuenta, desde cualquier país.',
    pasos: [
      'Elige el monto, una vez o cada mes.',
      'Paga con tarjeta o con tu cuenta.',
      'Guarda el correo que te llega: es tu comprobante.',
    ],
    boton: 'Donar con PayPal',
    nota: 'Se abre en una pestaña nueva, en el sitio de PayPal.',
  },
  transferencia: {
    titulo: 'Transferencia bancaria',
    texto: 'Copia cada dato con su botón y pégalo en la aplicación de tu banco.',
    banco: 'Banco',
    rnc: 'RNC',
    titular: 'Titular',
    cuenta: 'Cuenta corriente',
    copiar: 'Copiar',
    copiado: 'Copiado',
  },
  recibo: {
    titulo: 'Tu recibo',
    antes: 'Envía el comprobante de tu transferencia a ',
    despues: ' y te haremos llegar el recibo.',
    asunto: 'Recibo de mi donación',
  },
  especie: {
    titulo: 'Donaciones en especie',
    texto: 'Instrumentos, atriles, partituras y accesorios en buen estado.',
    detalle: 'Escríbenos o llámanos: coordinamos la entrega o pasamos a buscarlos.',
    falta: 'Lo que más usamos',
    lista: ['Cuerdas de guitarra y de bajo', 'Cañas de saxofón y de clarinete', 'Atriles plegables', 'Baquetas y parches'],
  },
  preguntas: { titulo: 'Preguntas', lista: preguntas },
  dudas: { titulo: '¿Prefieres hablarlo?', texto: 'Te acompañamos en cada paso.', whatsapp: 'Escribir por WhatsApp' },
}
