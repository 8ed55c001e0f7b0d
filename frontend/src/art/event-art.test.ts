import { expect, it } from 'vitest'
import { eventArt } from './event-art'

it.each([
  ['Clínica de saxofón', 'evento-5'],
  ['Noche de Big Band', 'evento-9'],
  ['Taller de percusión para familias', 'evento-1'],
  ['Noche de boleros', 'evento-2'],
  ['Voces de la Infancia', 'evento-6'],
  ['Audiciones para ensambles', 'evento-11'],
  ['CONCIERTO de Temporada', 'evento-7'],
  ['Flauta y amigos', 'evento-10'],
  ['Cuentos con orquesta', 'evento-4'],
])('«%s» shows %s, whatever its id', (title, drawing) => {
  for (const id of ['a', 'b', 'demo-evento-01']) expect(eventArt({ id, title })).toBe(drawing)
})

it('a title that names nothing keeps the drawing of its id, and many ids use them all', () => {
  const de = (id: string) => eventArt({ id, title: 'Encuentro' })
  expect(de('uno')).toBe(de('uno'))
  expect(new Set(Array.from({ length: 200 }, (_, i) => de(`evento-${i}`))).size).toBe(11)
})
