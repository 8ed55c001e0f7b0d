import { describe, expect, it } from 'vitest'
import { validarBoletin, validarContacto, validarInstrumento, validarVoluntario } from './validacion'

const INVALIDO = 'Ingresa un correo válido.'

it.each(['', 'a@b', 'a b@c.d', '@x.y', 'a@.', '   '])('the newsletter refuses "%s"', (email) => {
  expect(validarBoletin({ email })).toEqual({ campo: 'email', mensaje: INVALIDO })
})

it('the newsletter takes an address with blanks around it', () => {
  expect(validarBoletin({ email: '  Ana@Correo.DO ' })).toBeNull()
})

describe('contact', () => {
  const bien = { name: 'Ana', email: 'a@b', subject: 's', message: 'm' }
  it.each(['name', 'email', 'subject', 'message'])('asks for %s before anything else', (campo) => {
    const fallo = { campo, mensaje: 'Completa todos los campos.' }
    expect(validarContacto({ ...bien, [campo]: '' }, true)).toEqual(fallo)
    expect(validarContacto({ ...bien, [campo]: '   ' }, true)).toEqual(fallo)
  })
  it('believes the browser about the address', () => {
    expect(validarContacto(bien, false)).toBeNull()
    expect(validarContacto(bien, true)).toEqual({ campo: 'email', mensaje: INVALIDO })
  })
})

describe('volunteers', () => {
  const bien = { fullName: 'Ana', email: 'a@b.do', phone: '809', message: '' }
  it('needs no message', () => expect(validarVoluntario(bien)).toBeNull())
  it.each(['fullName', 'email', 'phone'])('asks for %s first', (campo) => {
    const mensaje = 'Por favor completa nombre, correo y teléfono.'
    expect(validarVoluntario({ ...bien, email: 'x@y', [campo]: ' ' })).toEqual({ campo, mensaje })
  })
  it('then for an address', () => expect(validarVoluntario({ ...bien, email: 'x@y' })).toEqual({ campo: 'email', mensaje: INVALIDO }))
})

describe('instruments', () => {
  const bien = { fullName: 'Ana', email: 'a@b.do', message: 'm' }
  it('takes a whole one', () => expect(validarInstrumento(bien)).toBeNull())
  it.each(['fullName', 'email', 'message'])('asks for %s first', (campo) => {
    const mensaje = 'Por favor completa nombre, correo y mensaje.'
    expect(validarInstrumento({ ...bien, [campo]: '' })).toEqual({ campo, mensaje })
  })
  it('then for an address', () => expect(validarInstrumento({ ...bien, email: 'a@b' })).toEqual({ campo: 'email', mensaje: INVALIDO }))
})
