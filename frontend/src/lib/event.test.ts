import { describe, expect, it } from 'vitest'
import { whenLine } from './event'
import { readEvent } from './read-event'

const moment = new Date('2027-09-05T23:30:00Z')

describe('readEvent', () => {
  it('reads a whole event', () => {
    const data = {
      title: ' Gala ',
      description: 'd',
      location: 'Teatro',
      featuredArtist: 'Ana',
      price: 0,
      date: '2027-09-05',
      time: '19:30',
      eventDate: moment,
      imageUrl: '/i.png',
    }
    expect(readEvent('a', data)).toEqual({
      id: 'a',
      title: 'Gala',
      description: 'd',
      place: 'Teatro',
      artist: 'Ana',
      price: 0,
      image: '/i.png',
      imageAlt: 'Gala',
      moment,
      date: '05 SEP 2027',
      time: '19:30',
    })
  })

  it('accepts any record as an event, but no unsafe picture', () => {
    const poor = readEvent('b', { title: 7, price: 'caro', eventDate: 'ayer', imageUrl: 'javascript:1', featuredArtist: '   ' })
    expect(poor).toMatchObject({ title: '', price: null, moment: null, image: null, artist: '', date: '—', time: '—' })
  })

  it.each([
    ['', '', '05 SEP 2027 • 19:30'],
    ['2027-09-06', '', '06 SEP 2027 • 19:30'],
    ['', '08:00', '05 SEP 2027 • 08:00'],
    ['mañana', '08:00', '—'],
    ['2027-09-06', 'tarde', '06 SEP 2027'],
  ])('shows date "%s" and time "%s" as %s', (date, time, expected) => {
    expect(whenLine(readEvent('c', { title: 't', date, time, eventDate: moment }))).toBe(expected)
  })
})
