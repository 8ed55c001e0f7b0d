/** Strings of an event, wherever it is shown. */
export const tEvento = {
  masInformacion: 'Más información',
  verUbicacion: 'Ver ubicación',
  artista: 'Artista destacado',
  precio: 'Precio',
  fecha: 'Fecha',
  hora: 'Hora',
  lugar: 'Lugar',
  agregarGoogle: 'Agregar a Google Calendar',
  descargarIcs: 'Descargar para el calendario (.ics)',
  compartir: 'Compartir',
  enlaceCopiado: 'Enlace copiado',
  paginaPropia: 'Abrir la página del evento',
  noExiste: 'Este evento no existe o fue retirado.',
  fallo: 'No pudimos cargar el evento. Revisa tu conexión e intenta de nuevo.',
  verCalendario: 'Ver el calendario',
  titulo: 'Evento',
} as const
