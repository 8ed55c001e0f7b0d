import { access } from './es-access'
import { adminEvents } from './es-admin-events'
import { adminLists } from './es-admin-lists'
import { adminNewsletter } from './es-admin-newsletter'

/** Every text of /LogIn and /AdminView. The larger parts are in separate files. Texts in «» in the brief are exact. */
export const es = {
  ...access,
  ...adminEvents,
  ...adminNewsletter,
  ...adminLists,
  long: (most: number) => `Escribe como máximo ${most} caracteres.`,
  site: 'Ver el sitio',
  session: { checking: 'Verificando sesión…', offline: 'Sin conexión. El panel se abrirá cuando vuelva.' },
  errors: {
    'invalid-email': 'Correo inválido.',
    'user-not-found': 'No existe una cuenta con ese correo.',
    'wrong-password': 'Contraseña incorrecta.',
    'email-already-in-use': 'Este correo ya está en uso.',
    'weak-password': 'La contraseña es muy débil (mínimo 6 caracteres).',
    'operation-not-allowed': 'Método de acceso no habilitado. Verifica que el acceso con correo y contraseña esté activado.',
    'too-many-requests': 'Demasiados intentos. Inténtalo de nuevo en unos minutos.',
    'network-request-failed': 'Problema de red. Verifica tu conexión.',
    'invalid-credential': 'Credenciales inválidas.',
    'invalid-login-credentials': 'Credenciales de acceso inválidas.',
    'invalid-code': 'Código secreto incorrecto.',
    'invalid-ticket': 'La verificación del código venció. Verifica el código de nuevo.',
    'invalid-argument': 'Completa todos los campos.',
    'mail-not-configured': 'El servidor no tiene configurado el envío de correos.',
    'mail-failed': 'El servidor de correo no aceptó el envío. Intenta de nuevo.',
    'no-subscribers': 'Nadie ha confirmado su suscripción todavía.',
    'already-sent': 'Este boletín ya se envió o se está enviando. Cambia el asunto o el texto para enviar otro.',
    'picture-type': 'Usa una imagen JPEG, PNG o WebP.',
    'picture-too-large': 'La imagen es demasiado grande. Usa una de menos de 5 MB.',
    'picture-broken': 'No pudimos leer la imagen. Prueba con otra.',
    'permission-denied': 'Tu cuenta no tiene acceso de administración.',
    other: 'Ocurrió un error. Intenta de nuevo.',
  },
  panel: {
    title: 'Panel Administrativo',
    signOutLabel: 'Cerrar sesión',
    noAccess: 'Tu cuenta no tiene acceso de administración.',
    sections: 'Secciones del panel',
    notices: 'Avisos',
    reload: 'Recargar la página',
  },
  tabs: {
    administradores: 'Administradores',
    eventos: 'Eventos',
    boletin: 'Boletín',
    voluntarios: 'Voluntarios',
    contactos: 'Contactos',
    instrumentos: 'Instrumentos',
  },
  news: {
    title: 'Lo nuevo',
    none: 'Todo está al día: no hay formularios nuevos.',
    more: (n: number) => (n === 1 ? 'Y 1 más, en las pestañas.' : `Y ${n} más, en las pestañas.`),
  },
  summary: {
    name: 'Resumen',
    events: 'Eventos próximos',
    messages: 'Mensajes nuevos',
    applications: 'Solicitudes nuevas',
    subscriptions: 'Suscripciones',
    weeks: 'Formularios por semana',
    newSince: (count: number, whenLine: string) =>
      `${count === 1 ? '1 formulario nuevo' : `${count} formularios nuevos`} desde tu última visita (${whenLine})`,
    week: (from: string, count: number) => `Semana del ${from}: ${count}`,
  },
} as const
