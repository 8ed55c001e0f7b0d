import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SlotImage } from './slot-image'

test('a drawing reserves its place and waits until it is near', () => {
  const html = renderToStaticMarkup(<SlotImage slot="tira-1" />)
  expect(html).toContain('src="/ilustraciones/tira-1.svg"')
  expect(html).toContain('width="640"')
  expect(html).toContain('height="480"')
  expect(html).toContain('loading="lazy"')
  expect(html).toContain('alt="Ilustración: un metrónomo en marcha"')
})

test('the first hero is loaded at once, upright on narrow screens', () => {
  const html = renderToStaticMarkup(<SlotImage slot="hero-1" priority />)
  expect(html).toContain('loading="eager"')
  expect(html.toLowerCase()).toContain('fetchpriority="high"')
  expect(html).toMatch(/<source media="\(max-width: 639px\)" srcSet="\/ilustraciones\/hero-1-movil.svg"/i)
})

test('a picture shown twice has one alternative text', () => {
  expect(renderToStaticMarkup(<SlotImage slot="tira-1" decorative />)).toContain('alt=""')
})
