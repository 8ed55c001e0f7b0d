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
  directions: 'Estamos al este del río Ozama. Antes de venir, escríbenos o llámanos y te explicamos cómo llegar.',
  /** The names on the drawn map, each with the class that places it. */
  places: [
    { name: 'Santo Domingo Este', className: 'mapa-ciudad' },
    { name: 'Río Ozama', className: 'mapa-rio' },
    { name: 'Av. Las Américas', className: 'mapa-avenida' },
    { name: 'Zona Colonial', className: 'mapa-zona' },
    { name: 'Faro a Colón', className: 'mapa-faro' },
    { name: 'Mirador del Este', className: 'mapa-parque' },
    { name: 'Los Tres Ojos', className: 'mapa-ojos' },
    { name: 'Mar Caribe', className: 'mapa-mar' },
  ],
}
