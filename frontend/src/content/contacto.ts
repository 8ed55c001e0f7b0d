/** Text of /contacto. Addresses and numbers are in sitio.ts. */
export const contacto = {
  title: 'Contactos',
  entry: 'Escríbenos, llámanos o ven a escuchar un ensayo. Respondemos en días laborables.',
  data: 'Dónde encontrarnos',
  phone: 'Teléfono',
  whatsapp: 'WhatsApp',
  email: 'Correo',
  address: 'Dirección',
  hours: 'Horario',
  networks: 'Redes',
  instagram: 'Instagram',
  youtube: 'YouTube',
  form: 'Escríbenos',
  mapPanel: 'Cómo llegar',
}
