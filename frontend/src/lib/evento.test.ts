import { describe, expect, it } from 'vitest'
import { cuando } from './evento'
import { leerEvento } from './leer-evento'

const momento = new Date('2027-09-05T23:30:00Z')

describe('leerEvento', () => {
  it('reads a whole event', () => {
    const datos = {
      title: ' Gala ',
      description: 'd',
      location: 'Teatro',
      featuredArtist: 'Ana',
      price: 0,
      date: '2027-09-05',
      time: '19:30',
      eventDate: momento,
      imageUrl: '/i.png',
    }
    expect(leerEvento('a', datos)).toEqual({
      id: 'a',
      titulo: 'Gala',
      descripcion: 'd',
      lugar: 'Teatro',
      artista: 'Ana',
      precio: 0,
      imagen: '/i.png',
      momento,
      fecha: '05 SEP 2027',
      hora: '19:30',
    })
  })

  it('takes anything for an event, and nothing unsafe for a picture', () => {
    const pobre = leerEvento('b', { title: 7, price: 'caro', eventDate: 'ayer', imageUrl: 'javascript:1', featuredArtist: '   ' })
    expect(pobre).toMatchObject({ titulo: '', precio: null, momento: null, imagen: null, artista: '', fecha: '—', hora: '—' })
  })

  it.each([
    ['', '', '05 SEP 2027 • 19:30'],
    ['2027-09-06', '', '06 SEP 2027 • 19:30'],
    ['', '08:00', '05 SEP 2027 • 08:00'],
    ['mañana', '08:00', '—'],
    ['2027-09-06', 'tarde', '06 SEP 2027'],
  ])('shows date "%s" and time "%s" as %s', (date, time, esperado) => {
    expect(cuando(leerEvento('c', { title: 't', date, time, eventDate: momento }))).toBe(esperado)
  })
})
