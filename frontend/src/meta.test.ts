import { describe, expect, it } from 'vitest'
import { pendientes } from './content/sitio'
import { datosFundacion, META, PUBLICAS } from './meta'

describe('what search engines are told', () => {
  it('is within their measure, and different on every page', () => {
    for (const ruta of PUBLICAS) {
      const { titulo, descripcion, indexar } = META[ruta]
      expect(titulo.length, ruta).toBeLessThanOrEqual(65)
      expect(descripcion.length, ruta).toBeGreaterThanOrEqual(70)
      expect(descripcion.length, ruta).toBeLessThanOrEqual(160)
      expect(indexar, ruta).toBe(true)
    }
    expect(new Set(PUBLICAS.map((ruta) => META[ruta].titulo)).size).toBe(PUBLICAS.length)
    expect(new Set(PUBLICAS.map((ruta) => META[ruta].descripcion)).size).toBe(PUBLICAS.length)
  })

  it('names the foundation, and nothing that waits for confirmation', () => {
    const datos = datosFundacion('https://fundacion.example')
    expect(datos).toMatchObject({ '@type': 'NGO', url: 'https://fundacion.example', address: { addressLocality: 'Santo Domingo Este' } })
    const texto = JSON.stringify(datos)
    for (const [clave, valor] of pendientes) expect(texto, clave).not.toContain(valor)
  })
})
