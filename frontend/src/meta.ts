import { pendingOnes, site } from './content/sitio'
import type { RoutePath } from './paths'

/** The metadata of a page for search engines and link previews. */
export type Meta = { title: string; description: string; index: boolean }

const NAME = 'Todo por Medio de la Música'

const isPublic = (title: string, description: string): Meta => ({ title: `${title} · ${NAME}`, description, index: true })

/** Title (at most 65 letters) and description (70 to 160) of each page. */
export const META: Record<RoutePath, Meta> = {
  '/': {
    title: 'Fundación Todo por Medio de la Música',
    description:
      'Fundación dominicana sin fines de lucro: educación musical para niñas, niños y jóvenes en Santo Domingo Este. Eventos, donaciones y voluntariado.',
    index: true,
  },
  '/informacion': isPublic(
    'Quiénes somos',
    'Objetivo, misión, visión, valores y programas de la fundación: una escuela de música abierta a la comunidad dominicana.',
  ),
  '/historia': isPublic(
    'Nuestra Historia',
    'Constituida el 28 de febrero de 2025 por tres hermanas, la fundación nació de una convicción: la música cambia vidas.',
  ),
  '/impacto': isPublic(
    'Impacto',
    'Qué cuenta la fundación y cómo lo cuenta: alumnos, horas de clase, conciertos, instrumentos y lo que hace cada donación.',
  ),
  '/equipo': isPublic('Nuestro Equipo', 'Quienes dirigen y acompañan la fundación, y la filosofía con la que enseñamos música cada día.'),
  '/voluntarios': isPublic(
    'Voluntarios',
    'Dos horas a la semana bastan para ayudar: beneficios, historias, preguntas frecuentes y solicitud de voluntariado.',
  ),
  '/programas': isPublic(
    'Programas',
    'Taller de composición de ocho semanas, orquesta juvenil y formación docente: los programas de la fundación, en detalle.',
  ),
  '/programas/composicion': isPublic(
    'Taller de composición',
    'Ocho semanas para escribir tu primera obra y escucharla en un concierto abierto. De qué trata, cómo es y qué necesitas.',
  ),
  '/programas/orquesta': isPublic(
    'Orquesta juvenil',
    'Ensayos semanales y conciertos de temporada, de los clásicos al merengue sinfónico. Qué se toca y cómo se entra.',
  ),
  '/programas/docentes': isPublic(
    'Formación docente',
    'Módulos cortos para maestros de música de escuelas, iglesias y bandas. Para quién son, qué se trabaja y qué recibes.',
  ),
  '/instrumentos': isPublic(
    'Nuestros Instrumentos',
    'Saxofón, bajo, trompeta, guitarra, canto, flauta y batería: elige el tuyo, resuelve tus dudas y solicita un instrumento.',
  ),
  '/ensambles': isPublic(
    'Ensambles',
    'Orquesta de cámara juvenil, big band y coro infantil: edades, ensayos, próximos conciertos y cómo audicionar.',
  ),
  '/calendario': isPublic(
    'Calendario de Eventos',
    'Conciertos, talleres y ensayos abiertos por mes o por semana, con lugar, precio y enlace para agregarlos a tu calendario.',
  ),
  '/contacto': isPublic(
    'Contactos',
    'Teléfono, WhatsApp, correo, dirección en Santo Domingo Este, horario y formulario para escribirle a la fundación.',
  ),
  '/donar': isPublic(
    'Donar',
    'Dona por PayPal, por transferencia o en especie: tu aporte compra cuerdas, cañas y horas de clase de música.',
  ),
  '/donar/gracias': {
    ...isPublic('Gracias por tu donación', 'Qué sigue después de donar: enviar el comprobante, recibir el recibo e invitar a alguien más.'),
    index: false,
  },
  '/privacidad': isPublic(
    'Privacidad',
    'Qué datos guardan los formularios de este sitio, para qué, por cuánto tiempo y cómo pedir que se borren. Sin rastreadores.',
  ),
  '/eventos/:id': {
    ...isPublic('Evento', 'Fecha, hora, lugar y precio de un evento de la fundación Todo por Medio de la Música.'),
    index: true,
  },
  '/LogIn': {
    title: `Acceso · ${NAME}`,
    description: 'Acceso del equipo de la fundación a su panel de administración.',
    index: false,
  },
  '/AdminView': { title: `Panel · ${NAME}`, description: 'Panel de administración de la fundación.', index: false },
  '*': { title: `Página no encontrada · ${NAME}`, description: 'La dirección pedida no existe en este sitio.', index: false },
}

/** The confirmed facts about the foundation, for search engines. */
function confirmations(data: Record<string, string>): Record<string, string> {
  const porConfirmar = new Set(pendingOnes.map(([, value]) => value))
  return Object.fromEntries(Object.entries(data).filter(([, value]) => !porConfirmar.has(value)))
}

/** The foundation's structured data for search engines. */
export function organizationData(url: string): object {
  const networks = Object.values(confirmations({ instagram: site.instagram, youtube: site.youtube }))
  return {
    '@context': 'https://schema.org',
    '@type': 'NGO',
    name: site.name,
    slogan: site.motto,
    url,
    logo: `${url}/icono-512.png`,
    foundingDate: '2025-02-28',
    ...confirmations({ email: site.email, telephone: site.phone }),
    address: {
      '@type': 'PostalAddress',
      ...confirmations({ streetAddress: site.address }),
      addressLocality: site.city,
      addressCountry: 'DO',
    },
    ...(networks.length > 0 ? { sameAs: networks } : {}),
  }
}
