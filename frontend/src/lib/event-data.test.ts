import { expect, it } from 'vitest'
import { eventData } from './event-data'
import { readEvent } from './read-event'

const url = 'https://sitio.do/eventos/a'

it('describes a complete event in the foundation’s time', () => {
  const eventDate = new Date('2027-09-05T23:30:00Z')
  const event = readEvent('a', {
    title: 'Gala',
    description: 'd',
    location: 'Teatro',
    featuredArtist: 'Ana',
    price: 0,
    eventDate,
    imageUrl: '/i.png',
  })
  expect(eventData(event, url)).toMatchObject({
    '@type': 'Event',
    startDate: '2027-09-05T19:30:00-04:00',
    location: { name: 'Teatro' },
    offers: { price: 0, priceCurrency: 'DOP' },
    performer: { name: 'Ana' },
    image: 'https://sitio.do/i.png',
  })
})

it('omits missing fields', () => {
  const data = eventData(readEvent('a', { title: 'Gala' }), url)
  for (const key of ['startDate', 'location', 'offers', 'performer', 'image', 'description']) expect(data).not.toHaveProperty(key)
})
