import type { PublicEvent } from '../lib/event'

/** An event for tests: what a test does not set is empty, and the title is the id. */
export const sampleEvent = (fields: Pick<PublicEvent, 'id' | 'moment'> & Partial<PublicEvent>): PublicEvent => ({
  title: fields.id,
  description: '',
  place: '',
  artist: '',
  price: null,
  image: null,
  imageAlt: fields.id,
  date: '',
  time: '',
  ...fields,
})
