/** Text of /donar. Bank details and addresses live in sitio.ts. */
export const donar = {
  titulo: 'Donar',
  entrada: 'Tu aporte compra cuerdas, cañas y horas de clase.',
  destino: {
    titulo: 'A dónde va tu aporte',
    lista: ['Horas de clase con maestros', 'Instrumentos y su mantenimiento', 'Partituras, atriles y accesorios'],
  },
  paypal: {
    titulo: 'PayPal',
    texto: 'Con tarjeta o con tu cuenta, desde cualquier país.',
    boton: 'Donar con PayPal',
    nota: 'Se abre en una pestaña nueva, en el sitio de PayPal.',
  },
  transferencia: {
    titulo: 'Transferencia bancaria',
    texto: 'Copia cada dato con su botón y pégalo en la aplicación de tu banco.',
    banco: 'Banco',
    rnc: 'RNC',
    titular: 'Titular',
    cuenta: 'Cuenta corriente',
    copiar: 'Copiar',
    copiado: 'Copiado',
  },
  recibo: {
    titulo: 'Tu recibo',
    antes: 'Envía el comprobante de tu transferencia a ',
    despues: ' y te haremos llegar el recibo.',
  },
  especie: {
    titulo: 'Donaciones en especie',
    texto: 'Instrumentos, atriles, partituras y accesorios en buen estado.',
    detalle: 'Escríbenos o llámanos: coordinamos la entrega o pasamos a buscarlos.',
  },
}
