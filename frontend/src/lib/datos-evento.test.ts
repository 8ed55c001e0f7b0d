import { expect, it } from 'vitest'
import { datosEvento } from './datos-evento'
import { leerEvento } from './leer-evento'

const url = 'https://sitio.do/eventos/a'

it('tells a whole event in the foundation’s time', () => {
  const eventDate = new Date('2027-09-05T23:30:00Z')
  const evento = leerEvento('a', {
    title: 'Gala',
    description: 'd',
    location: 'Teatro',
    featuredArtist: 'Ana',
    price: 0,
    eventDate,
    imageUrl: '/i.png',
  })
  expect(datosEvento(evento, url)).toMatchObject({
    '@type': 'Event',
    startDate: '2027-09-05T19:30:00-04:00',
    location: { name: 'Teatro' },
    offers: { price: 0, priceCurrency: 'DOP' },
    performer: { name: 'Ana' },
    image: 'https://sitio.do/i.png',
  })
})

it('leaves out what a bare event lacks', () => {
  const datos = datosEvento(leerEvento('a', { title: 'Gala' }), url)
  for (const clave of ['startDate', 'location', 'offers', 'performer', 'image', 'description']) expect(datos).not.toHaveProperty(clave)
})
