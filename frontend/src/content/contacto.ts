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
  redes: 'Redes',
  instagram: 'Instagram',
  youtube: 'YouTube',
  formulario: 'Escríbenos',
  mapa: 'Cómo llegar',
}
