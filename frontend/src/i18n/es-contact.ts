/** Strings of the contact page. */
export const tContact = {
  showMap: 'Mostrar mapa',
  mapTitle: 'Mapa: cómo llegar',
  openMap: 'Abrir en Google Maps',
  mapNotice: 'Al mostrarlo, tu navegador se conecta con OpenStreetMap.',
  open: 'Abierto ahora',
  closed: 'Cerrado ahora',
} as const
