import { expect, it } from 'vitest'
import { messageOf } from './auth-error'

it.each([
  ['auth/invalid-email', 'Correo inválido.'],
  ['auth/user-not-found', 'No existe una cuenta con ese correo.'],
  ['auth/wrong-password', 'Contraseña incorrecta.'],
  ['auth/email-already-in-use', 'Este correo ya está en uso.'],
  ['auth/weak-password', 'La contraseña es muy débil (mínimo 6 caracteres).'],
  ['auth/operation-not-allowed', 'Método de acceso no habilitado. Verifica que el acceso con correo y contraseña esté activado.'],
  ['auth/too-many-requests', 'Demasiados intentos. Inténtalo de nuevo en unos minutos.'],
  ['auth/network-request-failed', 'Problema de red. Verifica tu conexión.'],
  ['auth/invalid-credential', 'Credenciales inválidas.'],
  ['auth/invalid-login-credentials', 'Credenciales de acceso inválidas.'],
  ['auth/user-disabled', 'Ocurrió un error. Intenta de nuevo.'],
  ['invalid-code', 'Código secreto incorrecto.'],
  ['otro', 'Ocurrió un error. Intenta de nuevo.'],
  ['toString', 'Ocurrió un error. Intenta de nuevo.'],
  [7, 'Ocurrió un error. Intenta de nuevo.'],
])('%s is shown as %s', (code, text) => {
  expect(messageOf({ code })).toBe(text)
  expect(messageOf(new Error('x'))).toBe('Ocurrió un error. Intenta de nuevo.')
})
