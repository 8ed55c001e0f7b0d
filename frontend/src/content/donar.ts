import type { Instrument } from '../art/instrument-icon'
import type { Faq } from '../components/accordion'

/** The effects of amounts. Provisional until the foundation confirms its costs. */
type Effect = {
  amount: string
  /** About the same amount in US dollars, because PayPal charges nothing in Dominican pesos. */
  dollars: number
  icon: Instrument
  que: string
  detail: string
}

const effects: Effect[] = [
  {
    amount: 'RD$ 500',
    dollars: 9,
    icon: 'guitarra',
    que: 'Un juego de cuerdas',
    detail: 'Una guitarra de la escuela vuelve a sonar y no falta a la próxima clase.',
  },
  {
    amount: 'RD$ 1,500',
    dollars: 25,
    icon: 'flauta',
    que: 'Un mes de clases',
    detail: 'Cuatro clases en grupo, con maestro e instrumento prestado, para una niña o un niño.',
  },
  {
    amount: 'RD$ 5,000',
    dollars: 85,
    icon: 'trompeta',
    que: 'Un instrumento de vuelta',
    detail: 'La reparación completa de una trompeta o un saxofón que alguien espera.',
  },
]

const questions: Faq[] = [
  {
    question: '¿Me dan un recibo?',
    answer:
      'Sí. Envíanos el comprobante de tu transferencia o el correo de PayPal y te haremos llegar el recibo a nombre de quien nos digas.',
  },
  {
    question: '¿Puedo donar desde otro país?',
    answer: 'Sí, por PayPal: con tarjeta o con tu cuenta, en la moneda que uses.',
  },
  {
    question: '¿Aceptan instrumentos usados?',
    answer: 'Sí, si se pueden reparar. Escríbenos con una foto y cuéntanos su estado; te decimos si lo podemos recibir.',
  },
  {
    question: '¿Cómo sé en qué se usó mi aporte?',
    answer: 'Escríbenos cuando quieras y te contamos en qué se usó. Lo más simple es venir a escuchar un ensayo.',
  },
]

/** Text of /donar. Bank details and addresses are in sitio.ts. */
export const donar = {
  title: 'Donar',
  entry: 'Tu aporte compra cuerdas, cañas y horas de clase.',
  choose: 'Elegir cómo donar',
  target: {
    title: 'A dónde va tu aporte',
    effects,
    donate: (dollars: number) => `Donar US$ ${dollars}`,
    /** What a screen reader adds to the button. */
    with: (what: string) => ` con PayPal: ${what.toLowerCase()}`,
    note: 'Los botones abren PayPal en una pestaña nueva con el monto puesto. PayPal no cobra en pesos: el monto en dólares es aproximado y puedes cambiarlo.',
    impact: 'Ver nuestro impacto',
  },
  /** Provisional and without a name, until a family agrees to publish its story. */
  historia: {
    title: 'Una historia',
    text: 'Llegó con su hermano, que venía a clase de tambora. Se quedó en la puerta tres sábados. Al cuarto pidió las baquetas. Hoy abre el ensayo y enseña el compás a quien llega nuevo.',
    who: 'Una maestra de percusión',
  },
  methods: 'Tres maneras de donar',
  paypal: {
    title: 'PayPal',
    text: 'Con tarjeta o con tu cuenta, desde cualquier país.',
    steps: [
      'Elige el monto, una vez o cada mes.',
      'Paga con tarjeta o con tu cuenta.',
      'Guarda el correo que te llega: es tu comprobante.',
    ],
    button: 'Donar con PayPal',
    note: 'Se abre en una pestaña nueva, en el sitio de PayPal.',
  },
  bankTransfer: {
    title: 'Transferencia bancaria',
    text: 'Copia cada dato con su botón y pégalo en la aplicación de tu banco.',
    bank: 'Banco',
    rnc: 'RNC',
    holder: 'Titular',
    account: 'Cuenta corriente',
    copy: 'Copiar',
    copied: 'Copiado',
  },
  /** The link to /donar/gracias. */
  donated: 'Ya doné: ¿qué sigue?',
  receipt: {
    title: 'Tu recibo',
    before: 'Envía el comprobante de tu transferencia a ',
    after: ' y te haremos llegar el recibo.',
    subject: 'Recibo de mi donación',
  },
  inKind: {
    title: 'Donaciones en especie',
    text: 'Instrumentos, atriles, partituras y accesorios en buen estado.',
    detail: 'Escríbenos o llámanos: coordinamos la entrega o pasamos a buscarlos.',
    lacks: 'Lo que más usamos',
    list: ['Cuerdas de guitarra y de bajo', 'Cañas de saxofón y de clarinete', 'Atriles plegables', 'Baquetas y parches'],
  },
  questions: { title: 'Preguntas', list: questions },
  doubts: { title: '¿Prefieres hablarlo?', text: 'Te acompañamos en cada paso.', whatsapp: 'Escribir por WhatsApp' },
}
