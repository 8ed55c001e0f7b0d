import { expect, it } from 'vitest'
import { safeLink, safeImage } from './safe-url'

it.each([
  ['https://a.do', 'https://a.do'],
  ['mailto:a@b.do', 'mailto:a@b.do'],
  ['javascript:alert(1)', null],
  [' JavaScript:alert(1)', null],
  ['data:text/html,x', null],
  ['', null],
])('a link to %s is %s', (text, link) => {
  expect(safeLink(text)).toBe(link)
})

it.each([
  ['/ilustraciones/hero-1.svg', '/ilustraciones/hero-1.svg'],
  ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
  ['data:text/html,x', null],
  ['javascript:alert(1)', null],
  ['http://[', null],
])('a picture at %s is %s', (text, image) => {
  expect(safeImage(text)).toBe(image)
})
