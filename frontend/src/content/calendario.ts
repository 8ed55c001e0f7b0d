/** Text of /calendario. */
export const calendario = {
  titulo: 'Calendario de Eventos',
  entrada: 'Conciertos, talleres y ensayos abiertos. Elige un día y guárdalo en tu agenda.',
}
