/** Text of /privacidad. The foundation's adviser should read it before publishing. */
export const privacidad = {
  titulo: 'Privacidad',
  entrada: 'Qué datos recibimos, para qué y por cuánto tiempo. Sin letra pequeña.',
  actualizado: 'Última revisión: noviembre de 2026',
  secciones: [
    {
      titulo: 'Lo que nos envías',
      parrafos: [
        'Solo recibimos lo que escribes en un formulario: tu nombre, tu correo, tu teléfono si lo das y tu mensaje. Lo usamos para responderte.',
        'Tu correo del boletín se usa únicamente para enviarte el boletín. Cada envío lleva un enlace para darte de baja.',
      ],
    },
    {
      titulo: 'Por cuánto tiempo',
      parrafos: ['Los mensajes y solicitudes se borran a los 12 meses de recibidos. Tu correo del boletín, en cuanto te des de baja.'],
    },
    {
      titulo: 'Lo que no hacemos',
      parrafos: ['No hay rastreadores, ni anuncios, ni cookies de terceros. No vendemos ni cedemos tus datos.'],
    },
    {
      titulo: 'Servicios de otros',
      parrafos: [
        'El mapa, PayPal y Google Calendar se abren solo si pulsas su botón. Desde ese momento rige la política de cada servicio.',
      ],
    },
    {
      titulo: 'Menores de edad',
      parrafos: [
        'Publicamos fotos de estudiantes solo con autorización escrita de su madre, padre o tutor. Si ves una que debamos retirar, avísanos y la retiramos.',
      ],
    },
    {
      titulo: 'Tus derechos',
      parrafos: ['Puedes pedir ver, corregir o borrar tus datos. Escríbenos y te respondemos en un plazo de 10 días laborables.'],
    },
  ],
  ayuda: { titulo: 'Tus datos son tuyos', texto: 'Pídenos verlos, corregirlos o borrarlos. Te respondemos a tu correo.' },
  contacto: 'Escríbenos sobre tus datos',
  asunto: '/contacto?asunto=Privacidad%20de%20mis%20datos',
}
