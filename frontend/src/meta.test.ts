import { describe, expect, it } from 'vitest'
import { pendingOnes } from './content/sitio'
import { organizationData, META } from './meta'
import { PUBLIC_PATHS } from './paths'

describe('what search engines are told', () => {
  it('is within their measure, and different on every page', () => {
    for (const route of PUBLIC_PATHS) {
      const { title, description, index } = META[route]
      expect(title.length, route).toBeLessThanOrEqual(65)
      expect(description.length, route).toBeGreaterThanOrEqual(70)
      expect(description.length, route).toBeLessThanOrEqual(160)
      expect(index, route).toBe(route !== '/donar/gracias')
    }
    expect(new Set(PUBLIC_PATHS.map((route) => META[route].title)).size).toBe(PUBLIC_PATHS.length)
    expect(new Set(PUBLIC_PATHS.map((route) => META[route].description)).size).toBe(PUBLIC_PATHS.length)
  })

  it('names the foundation, and nothing that waits for confirmation', () => {
    const data = organizationData('https://fundacion.example')
    expect(data).toMatchObject({ '@type': 'NGO', url: 'https://fundacion.example', address: { addressLocality: 'Santo Domingo Este' } })
    const text = JSON.stringify(data)
    for (const [key, value] of pendingOnes) expect(text, key).not.toContain(value)
  })
})
