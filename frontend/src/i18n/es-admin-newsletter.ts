/** The texts of «Boletín». Those in «» in the brief are exact. */
export const adminNewsletter = {
  newsletter: {
    open: 'Escribir boletín',
    issues: 'Últimos envíos',
    subject: 'Asunto',
    text: 'Texto',
    textHelp: 'Sin formato. Una línea en blanco separa los párrafos; el enlace de baja se añade solo.',
    off: 'El envío de correos no está configurado en el servidor (MAIL_URL): el boletín no se puede enviar.',
    terminal: 'Servidor de demostración: los correos no se envían, se muestran en la terminal.',
    confirmed: (n: number) => (n === 1 ? '1 dirección confirmada.' : `${n} direcciones confirmadas.`),
    withUnconfirmed: 'Incluir sin confirmar en el CSV',
    notExported: 'No se pudo saber qué direcciones están confirmadas. Intenta de nuevo.',
    unsaved: 'El boletín está a medio escribir.',
    keep: 'Cerrar y conservar el borrador',
    kept: 'Recuperamos tu borrador. Se conserva hasta que lo envíes o lo descartes, o cierres esta pestaña del navegador.',
    incomplete: 'Escribe el asunto y el texto.',
    preview: 'Ver cómo queda',
    previewTitle: 'Cómo queda',
    test: 'Enviarme una prueba',
    testing: 'Enviando…',
    tested: (email: string) => `Prueba enviada a ${email}.`,
    send: 'Enviar a todos',
    sendNow: 'Sí, enviar ahora',
    starting: 'Enviando…',
    question: (n: number) =>
      n === 1
        ? '¿Enviar este boletín a 1 dirección confirmada? No se puede deshacer.'
        : `¿Enviar este boletín a ${n} direcciones confirmadas? No se puede deshacer.`,
    started: (n: number) => (n === 1 ? 'El boletín se está enviando a 1 dirección.' : `El boletín se está enviando a ${n} direcciones.`),
    progress: (subject: string) => `Envío de «${subject}»`,
    sendingTo: (done: number, total: number) => `Enviando: ${done} de ${total}.`,
    problem: 'El servidor de correo no responde; el envío continuará solo.',
    paused:
      'En pausa: el servidor de correo rechazó varios correos seguidos, por ejemplo por su límite diario. Se intenta de nuevo cada hora.',
    sentTo: (n: number) => (n === 1 ? 'Enviado a 1 dirección.' : `Enviado a ${n} direcciones.`),
    failed: (n: number) => (n === 1 ? '1 fue rechazada.' : `${n} fueron rechazadas.`),
    uncertain: (n: number) => (n === 1 ? 'De 1 no se sabe si llegó.' : `De ${n} no se sabe si llegaron.`),
  },
} as const
