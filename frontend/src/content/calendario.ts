/** Text of /calendario. */
export const calendar = {
  title: 'Calendario de Eventos',
  entry: 'Conciertos, talleres y ensayos abiertos. Elige un día y guárdalo en tu agenda.',
}
