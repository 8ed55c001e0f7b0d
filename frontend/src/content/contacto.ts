/** Text of /contacto. Addresses and numbers live in sitio.ts. */
export const contacto = {
  titulo: 'Contactos',
  entrada: 'Escríbenos, llámanos o ven a escuchar un ensayo. Respondemos en días laborables.',
  datos: 'Dónde encontrarnos',
  telefono: 'Teléfono',
  whatsapp: 'WhatsApp',
  correo: 'Correo',
  direccion: 'Dirección',
  horario: 'Horario',
  horas: 'Lunes a sábado, 9:00\u00a0AM\u00a0–\u00a04:00\u00a0PM (AST)',
  redes: 'Redes',
  instagram: 'Instagram',
  youtube: 'YouTube',
  formulario: 'Escríbenos',
  mapa: 'Cómo llegar',
}
