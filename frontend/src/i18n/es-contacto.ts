/** Strings of the contact page. */
export const tContacto = {
  mostrarMapa: 'Mostrar mapa',
  tituloMapa: 'Mapa: cómo llegar',
  abrirMapa: 'Abrir en Google Maps',
  avisoMapa: 'Al mostrarlo, tu navegador se conecta con OpenStreetMap.',
  abierto: 'Abierto ahora',
  cerrado: 'Cerrado ahora',
} as const
