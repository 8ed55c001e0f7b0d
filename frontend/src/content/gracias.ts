/** A step after a donation. The page adds its links. */
type Step = { title: string; text: string; links?: 'proof' | 'calendar' }

const steps: Step[] = [
  {
    title: 'Envíanos el comprobante',
    text: 'El de tu transferencia, o el correo que te llegó de PayPal. Dinos a nombre de quién va el recibo.',
    links: 'proof',
  },
  { title: 'Te hacemos llegar el recibo', text: 'A tu correo, cuando confirmemos que tu aporte llegó.' },
  {
    title: 'Ven a escuchar',
    text: 'Es la mejor manera de ver en qué se usó. Los ensayos abiertos y conciertos están en el calendario.',
    links: 'calendar',
  },
]

/** Text of /donar/gracias. */
export const gracias = {
  title: '¡Gracias por tu donación!',
  entry: 'Con tu aporte, más niñas y niños tendrán cuerdas, cañas y horas de clase.',
  next: {
    title: 'Qué sigue ahora',
    steps,
    email: 'Enviar por correo',
    whatsapp: 'Enviar por WhatsApp',
    whatsappText: 'Hola. Hice una donación y quiero enviar el comprobante para mi recibo.',
    calendar: 'Ver el calendario',
  },
  share: {
    title: 'Invita a alguien más',
    text: 'Una persona que conoce la fundación por ti vale tanto como tu aporte.',
    button: 'Compartir',
    copied: 'Enlace copiado',
    whatsapp: 'Compartir por WhatsApp',
    /** Before the address of /donar. */
    message: 'Acabo de donar a la Fundación Todo por Medio de la Música. Mira lo que hacen: ',
    subject: 'Dona a la Fundación Todo por Medio de la Música',
  },
}
