/** Text of /privacidad. The foundation's legal adviser should review it before publication. */
export const privacidad = {
  title: 'Privacidad',
  entry: 'Qué datos recibimos, para qué y por cuánto tiempo. Sin letra pequeña.',
  updated: 'Última revisión: noviembre de 2026',
  sections: [
    {
      title: 'Lo que nos envías',
      paragraphs: [
        'Solo recibimos lo que escribes en un formulario: tu nombre, tu correo, tu teléfono si lo das y tu mensaje. Lo usamos para responderte.',
        'Tu correo del boletín se usa únicamente para enviarte el boletín. Antes te pedimos confirmarlo con un enlace, y cada envío lleva otro para darte de baja.',
      ],
    },
    {
      title: 'Por cuánto tiempo',
      paragraphs: [
        'Los mensajes y solicitudes se borran a los 12 meses de recibidos. Tu correo del boletín, en cuanto te des de baja, o a los 30 días si no lo confirmas.',
      ],
    },
    {
      title: 'Lo que no hacemos',
      paragraphs: [
        'No hay rastreadores, ni anuncios, ni cookies de terceros. No vendemos ni cedemos tus datos.',
        'Para que puedas leer sin conexión, tu navegador guarda las páginas y eventos que viste. Se quedan en tu dispositivo.',
      ],
    },
    {
      title: 'Servicios de otros',
      paragraphs: [
        'El mapa, PayPal y Google Calendar se abren solo si pulsas su botón. Desde ese momento rige la política de cada servicio.',
      ],
    },
    {
      title: 'Menores de edad',
      paragraphs: [
        'Publicamos fotos de estudiantes solo con autorización escrita de su madre, padre o tutor. Si ves una que debamos retirar, avísanos y la retiramos.',
      ],
    },
    {
      title: 'Tus derechos',
      paragraphs: ['Puedes pedir ver, corregir o borrar tus datos. Escríbenos y te respondemos en un plazo de 10 días laborables.'],
    },
  ],
  help: { title: 'Tus datos son tuyos', text: 'Pídenos verlos, corregirlos o borrarlos. Te respondemos a tu correo.' },
  contacto: 'Escríbenos sobre tus datos',
  subject: '/contacto?asunto=Privacidad%20de%20mis%20datos',
}
