import { describe, expect, it } from 'vitest'
import { check } from './check'
import { contact, newsletter, rental, volunteer } from './schemas'

const WRONG = 'Ingresa un correo válido.'
const EMPTY = 'Completa este campo.'

it.each(['', 'a@b', 'a b@c.d', '@x.y', 'a@.', '   '])('the newsletter refuses "%s"', (email) => {
  expect(check(newsletter, { email }).fault).toEqual({ message: WRONG, fields: { email: WRONG } })
})

it('the newsletter stores an address without blanks around it and in small letters', () => {
  expect(check(newsletter, { email: '  Ana@Correo.DO ' }).document).toEqual({ email: 'ana@correo.do', source: 'homepage' })
})

it('the browser’s check of the address counts for contact alone', () => {
  const email = 'josé..díaz@correo.do'
  expect(check(newsletter, { email }, 'email').document).toMatchObject({ email })
  expect(check(volunteer, { fullName: 'José', email, phone: '809', message: '' }, 'email').document).toMatchObject({ email })
  expect(check(rental, { fullName: 'José', email, message: 'm' }, 'email').document).toMatchObject({ email })
})

describe('contact', () => {
  const fine = { name: ' Ana ', email: 'A@b', subject: 's', message: 'm' }
  it.each(['name', 'email', 'subject', 'message'])('asks for %s before anything else', (field) => {
    for (const blank of ['', '   ']) {
      expect(check(contact, { ...fine, [field]: blank }, 'email').fault).toEqual({
        message: 'Completa todos los campos.',
        fields: { [field]: EMPTY },
      })
    }
  })
  it('marks every blank field', () => {
    expect(Object.keys(check(contact, { name: '', email: '', subject: '', message: '' }).fault?.fields ?? {}).toSorted()).toEqual([
      'email',
      'message',
      'name',
      'subject',
    ])
  })
  it('uses the browser’s check of the address', () => {
    expect(check(contact, fine).document).toEqual({ name: 'Ana', email: 'a@b', subject: 's', message: 'm', status: 'new' })
    expect(check(contact, fine, 'email').fault).toEqual({ message: WRONG, fields: { email: WRONG } })
  })
})

describe('volunteers', () => {
  const fine = { fullName: 'Ana', email: 'a@b.do', phone: '809', message: '' }
  it('needs no message', () => expect(check(volunteer, fine).document).toEqual({ ...fine, status: 'new', source: 'voluntarios-page' }))
  it.each(['fullName', 'email', 'phone'])('asks for %s first', (field) => {
    const message = 'Por favor completa nombre, correo y teléfono.'
    expect(check(volunteer, { ...fine, [field]: ' ' }).fault).toEqual({ message, fields: { [field]: EMPTY } })
  })
  it('reports a missing name before a wrong address', () =>
    expect(check(volunteer, { ...fine, fullName: '', email: 'x@y' }).fault?.fields).toEqual({ fullName: EMPTY }))
  it('then for an address', () =>
    expect(check(volunteer, { ...fine, email: 'x@y' }).fault).toEqual({ message: WRONG, fields: { email: WRONG } }))
})

describe('instruments', () => {
  const fine = { fullName: 'Ana', email: 'a@b.do', message: 'm' }
  it('takes a whole one', () => expect(check(rental, fine).fault).toBeNull())
  it.each(['fullName', 'email', 'message'])('asks for %s first', (field) => {
    const message = 'Por favor completa nombre, correo y mensaje.'
    expect(check(rental, { ...fine, [field]: '' }).fault).toEqual({ message, fields: { [field]: EMPTY } })
  })
  it('refuses what is too long for the server', () =>
    expect(check(rental, { ...fine, message: 'a'.repeat(5001) }).fault?.fields['message']).toBe('Escribe como máximo 5000 caracteres.'))
})
