import { type FormEvent, useCallback, useRef, useState } from 'react'
import type { Coleccion } from '../firebase/formularios'
import { ESPERA_MINIMA, esRobot, TRAMPA } from './robots'

/** What is wrong: the message and the first field to mend. */
export type Fallo = { campo: string; mensaje: string }

/** What the visitor wrote, each text without blanks around it. */
export type Campos = Record<string, string>

/** How a form is checked and kept. */
export type Receta = {
  coleccion: Coleccion
  /** The first thing wrong, or null. Nothing is written when there is one. */
  validar: (campos: Campos, formulario: HTMLFormElement) => Fallo | null
  /** The document to store, but for its createdAt. */
  documento: (campos: Campos) => Record<string, string>
  fallo: string
}

/** Where a form is (F-600, F-601). */
export type Estado =
  | { fase: 'quieto' }
  | { fase: 'enviando' }
  | { fase: 'exito' }
  | { fase: 'error'; mensaje: string; campo: string | null }

/** The texts of a form, trimmed. */
export function leer(formulario: HTMLFormElement): Campos {
  const pares = [...new FormData(formulario)].map(([clave, valor]) => [clave, typeof valor === 'string' ? valor.trim() : ''])
  return Object.fromEntries(pares)
}

const pausa = (ms: number) => new Promise((listo) => setTimeout(listo, ms))

/** The way of a public form: check, send once, tell; cleared after success, kept after failure (F-602). */
export function useFormulario({ coleccion, validar, documento, fallo }: Receta) {
  const [estado, setEstado] = useState<Estado>({ fase: 'quieto' })
  const ocupado = useRef(false)
  const tecleado = useRef(false)

  async function entregar(formulario: HTMLFormElement, campos: Campos, momento: number): Promise<void> {
    const robot = esRobot({ trampa: campos[TRAMPA] ?? '', momento, tecleado: tecleado.current })
    if (!robot) {
      await pausa(Math.max(0, ESPERA_MINIMA - momento))
      const { guardar } = await import('../firebase/formularios')
      await guardar(coleccion, documento(campos))
    }
    formulario.reset()
    tecleado.current = false
  }

  async function enviar(suceso: FormEvent<HTMLFormElement>): Promise<void> {
    suceso.preventDefault()
    if (ocupado.current) return
    const formulario = suceso.currentTarget
    const campos = leer(formulario)
    const malo = validar(campos, formulario)
    if (malo) {
      setEstado({ fase: 'error', mensaje: malo.mensaje, campo: malo.campo })
      const campo = formulario.elements.namedItem(malo.campo)
      if (campo instanceof HTMLElement) campo.focus()
      return
    }
    ocupado.current = true
    setEstado({ fase: 'enviando' })
    try {
      await entregar(formulario, campos, suceso.nativeEvent.timeStamp)
      setEstado({ fase: 'exito' })
    } catch (error) {
      console.error(error)
      setEstado({ fase: 'error', mensaje: fallo, campo: null })
    } finally {
      ocupado.current = false
    }
  }

  // What stands in the fields before the page is alive was typed by somebody: the page had not heard of it.
  const alNacer = useCallback((formulario: HTMLFormElement | null) => {
    if (!formulario) return
    const campos = [...formulario.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')]
    tecleado.current ||= campos.some(({ value, defaultValue }) => value !== defaultValue)
  }, [])

  return {
    estado,
    props: {
      ref: alNacer,
      method: 'post',
      noValidate: true,
      onSubmit: (suceso: FormEvent<HTMLFormElement>) => void enviar(suceso),
      onInput: (suceso: FormEvent) => {
        tecleado.current ||= suceso.nativeEvent.isTrusted
      },
      // The sender's code is fetched as soon as the form is touched; if that fails, sending tries again.
      onFocus: () => void import('../firebase/formularios').catch(() => undefined),
    } as const,
  }
}
