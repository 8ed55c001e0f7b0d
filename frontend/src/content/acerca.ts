/** Text of /informacion. The foundation edits it here. */
export const acerca = {
  titulo: 'Todo por Medio de la Música',
  entrada: 'Una fundación dominicana que usa la música para abrir caminos: a la escuela, al oficio, a los demás.',
  objetivo: {
    titulo: 'Nuestro objetivo',
    texto: 'Promover la música como medio de transformación social.',
    detalle:
      'Quien aprende a tocar con otros aprende a escuchar, a esperar su entrada y a sostener a quien tiene al lado. Eso cambia un aula, una casa y un barrio.',
  },
  proyecto: {
    titulo: 'El primer proyecto: una escuela de música',
    texto: 'Una escuela de música abierta a la comunidad.',
    detalle:
      'Clases en grupo, instrumentos prestados y maestros que acompañan. Se entra por ganas, no por dinero; se avanza por constancia.',
  },
  mision: { titulo: 'Misión', texto: 'Formar personas íntegras mediante una educación musical accesible y de calidad.' },
  vision: { titulo: 'Visión', texto: 'Ser referente nacional de formación musical con impacto social.' },
  valores: {
    titulo: 'Nuestros valores',
    lista: [
      { nombre: 'Tenacidad', texto: 'Volvemos al compás difícil hasta que suena.' },
      { nombre: 'Compromiso', texto: 'Lo que prometemos a una familia, se hace.' },
      { nombre: 'Respeto', texto: 'Cada voz cuenta y a cada una se la escucha.' },
      { nombre: 'Pulcritud', texto: 'Cuidamos el salón, el instrumento y la cuenta.' },
      { nombre: 'Responsabilidad', texto: 'Llegamos a tiempo y con la parte estudiada.' },
      { nombre: 'Profesionalidad', texto: 'Enseñamos con método y medimos lo que logramos.' },
      { nombre: 'Eficacia y eficiencia', texto: 'Mucho con poco, y bien hecho.' },
    ],
  },
  programas: {
    titulo: 'Nuestros programas',
    lista: [
      {
        nombre: 'Iniciación musical',
        edades: 'De 7 a 12 años',
        texto: 'Ritmo, canto y juego. La primera puerta: aquí se descubre qué instrumento te llama.',
      },
      {
        nombre: 'Clases de instrumento',
        edades: 'Por niveles',
        texto: 'Clases semanales con maestro y préstamo de instrumento según disponibilidad.',
        instrumentos: ['Piano', 'Guitarra', 'Flauta', 'Clarinete', 'Trompeta', 'Saxofón alto y tenor'],
      },
      { nombre: 'Teoría musical', edades: 'Para todos', texto: 'Leer, escribir y entender lo que suena. La llave de cualquier partitura.' },
      {
        nombre: 'Banda y ensambles',
        edades: 'Con un año de estudio',
        texto: 'La música se hace en grupo: ensayo semanal y conciertos abiertos a la comunidad.',
      },
    ],
    enlaceInstrumentos: 'Ver los instrumentos',
    enlaceEnsambles: 'Conocer los ensambles',
  },
  llamada: {
    titulo: 'Una hora de clase cambia una semana',
    texto: 'Tu aporte compra cuerdas, cañas y horas de clase.',
    boton: 'Dona Ahora',
  },
} as const
