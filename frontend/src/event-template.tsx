import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router-dom'
import { choice } from './art/event-art'
import { Actions, appointmentOf } from './features/events/actions'
import { EventFact, PlaceFact } from './features/event-page/event-fact'
import { EventDescription, EventLayout, EventTitle, EventWhen } from './features/event-page/event-layout'
import { EventPicture } from './features/event-page/event-picture'
import { tEvent } from './i18n/es-events'
import { Shell } from './layout/shell'
import type { PublicEvent } from './lib/event'
import { calendarLink, mapLink } from './lib/links'
import { uploadedPicture } from './lib/picture'

/** The event from which the parts are rendered. Its values are recognized in the HTML. */
const SAMPLE: PublicEvent = {
  id: 'x',
  title: '{{title}}',
  description: '{{description}}',
  place: '{{place}}',
  artist: '{{artist}}',
  price: null,
  image: '{{image}}',
  imageAlt: '{{imageAlt}}',
  moment: new Date('2027-09-05T23:30:00Z'),
  date: '',
  time: '',
}

/** The mark of the price, which the sample lacks. */
const PRICE = '{{price}}'

/** An uploaded picture of unusual size, which is recognized in the HTML. */
const UPLOADED = '/imagenes/x-1597x983/1600.webp'

const escape = (text: string) => text.replaceAll('&', '&amp;')

/** The values of the sample that are not marks themselves, with their marks. */
function markedValues(): [string, string][] {
  const appointment = appointmentOf(SAMPLE)
  const picture = uploadedPicture(UPLOADED)
  if (!appointment || !picture) throw new Error('the sample has neither a time nor a picture')
  return [
    [escape(calendarLink(appointment)), '{{calendarLink}}'],
    [escape(mapLink(SAMPLE.place) ?? ''), '{{mapLink}}'],
    [picture.srcSet, '{{srcSet}}'],
    [UPLOADED, '{{image}}'],
    [`width="${picture.width}" height="${picture.height}"`, 'width="{{width}}" height="{{height}}"'],
  ]
}

/** A part of the page as HTML with marks. */
function html(part: ReactNode): string {
  const rendered = renderToString(<StaticRouter location="/eventos/x">{part}</StaticRouter>)
  // React puts the preloading of a picture before a part, where hydration does not expect it.
  const page = rendered.replaceAll(/<link rel="preload"[^>]*>/g, '')
  return markedValues().reduce((marked, [value, mark]) => marked.replaceAll(value, mark), page)
}

/** The place of a part in the frame. */
const hole = (name: string) => <i data-parte={name} />

/**
 * The page of an event as the back office fills it in: the frame with the marks of parts, the forms of each part with
 * the marks of values, and how a drawing is chosen. The result must be what the browser renders, so that it is hydrated.
 */
export function eventTemplate(): { frame: string; parts: Record<string, string>; drawings: Record<string, string>; choice: typeof choice } {
  const frame = html(
    <Shell>
      <EventLayout
        title={hole('title')}
        when={hole('when')}
        actions={hole('actions')}
        picture={hole('picture')}
        facts={hole('facts')}
        description={hole('description')}
      />
    </Shell>,
  ).replaceAll(/<i data-parte="(\w+)"><\/i>/g, '{{$1}}')
  const when = { weekday: '{{weekday}}', line: '{{when}}' }
  const uploaded = { ...SAMPLE, image: UPLOADED }
  const parts = {
    title: html(<EventTitle title={SAMPLE.title} long={false} />),
    longTitle: html(<EventTitle title={SAMPLE.title} long />),
    when: html(<EventWhen {...when} weekday={null} over={false} />),
    whenOver: html(<EventWhen {...when} weekday={null} over />),
    whenNamed: html(<EventWhen {...when} over={false} />),
    whenNamedOver: html(<EventWhen {...when} over />),
    actionsComing: html(<Actions event={SAMPLE} past={false} />),
    actionsOver: html(<Actions event={SAMPLE} past />),
    actionsUndated: html(<Actions event={{ ...SAMPLE, moment: null }} past={false} />),
    picture: html(<EventPicture event={SAMPLE} drawing="evento-1" />),
    uploadedPicture: html(<EventPicture event={uploaded} drawing="evento-1" />),
    place: html(<PlaceFact place={SAMPLE.place} />),
    noPlace: html(<PlaceFact place="" />),
    price: html(<EventFact name={tEvent.price} text={PRICE} />),
    artist: html(<EventFact name={tEvent.artist} text={SAMPLE.artist} />),
    description: html(<EventDescription text={SAMPLE.description} />),
  }
  const drawings = Object.fromEntries(
    choice.slots.map((slot) => [slot, html(<EventPicture event={{ image: null, imageAlt: '' }} drawing={slot} />)]),
  )
  return { frame, parts, drawings, choice }
}
